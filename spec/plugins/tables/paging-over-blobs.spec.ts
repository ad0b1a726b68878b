import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

const SQL = `
  create table files (path text primary key, title text, size int);
  insert into files values
    ('a', 'one', 1), ('b', x'6f', 2), (x'61', 'three', 3), (x'7a', x'00', 4), (x'ff', null, 5), ('z', 'z', 6);
  create table sizes (size int primary key, name text);
  insert into sizes values (1, 'one'), (2, 'two'), ('', 'unknown'), ('many', 'text'), (x'31', 'bytes');
`;

/** The names of all rows, in the order in which a client gets them that follows `next`. */
async function followed(rowhouse: TestRowhouse, path: string): Promise<string[]> {
  const rows: string[] = [];
  let next: string | null = "";
  while (next !== null && rows.length < 20) {
    const after: string = next === "" ? "" : `&_next=${encodeURIComponent(next)}`;
    const { json } = await rowhouse.get(`${path}&_size=1${after}`);
    for (const row of json.rows) rows.push(JSON.stringify(row));
    next = json.next;
  }
  return rows;
}

describe("pages of rows whose key is a BLOB that JSON shows as text", () => {
  for (const table of ["files", "sizes"]) {
    for (const order of ["", "&_sort=title", "&_sort_desc=title", "&_sort_desc=size"]) {
      if (table === "sizes" && order.includes("title")) continue;
      for (const shape of ["arrays", "objects"]) {
        it(`contain each row once: ${table} as ${shape}${order}`, async () => {
          const rowhouse = await rowhouseFor({ sql: SQL });
          const path = `/library/${table}.json?_shape=${shape}${order}`;
          const all = (await rowhouse.get(path)).json.rows.map((row: unknown) => JSON.stringify(row));

          expect(await followed(rowhouse, path)).to.deep.equal(all);
        });
      }
    }
  }

  it("have a key as token if a BLOB is in another column", async () => {
    const rowhouse = await rowhouseFor({
      sql: `create table files (path text primary key, content blob);
        insert into files values ('a', x'41'), ('b', x'42'), ('c', x'43');`,
    });

    expect((await rowhouse.get("/library/files.json?_size=2")).json.next).to.equal("b");
  });
});
