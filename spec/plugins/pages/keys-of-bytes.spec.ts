import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";

/** `ff61` and `c3` are not UTF-8; `c3a9` is, as BLOB. */
const SQL = `
  create table tags (k text primary key, v) without rowid;
  insert into tags values (cast(x'ff61' as text), 1), ('ok', 2), (cast(x'c3' as text), 3), (x'c3a9', 4), ('', 5);
  create table pairs (a text, b integer, tag text references tags(k), primary key (a, b));
  insert into pairs values (cast(x'ff61' as text), 1, 'ok'), ('ok', 2, 'ok'), ('', 3, 'ok');
  create table uses (id integer primary key, tag text references tags(k));
  insert into uses values (1, cast(x'ff61' as text)), (2, 'ok'), (3, x'c3a9'), (4, '');
  create unique index codes on tags (v);
  create table lists (k text primary key, tag text references tags(k));
  insert into lists values (cast(x'ff61' as text), 'ok'), ('fine', 'ok');`;

const rowLinks = (text: string): readonly string[] =>
  [...text.matchAll(/href="(\/library\/\w+\/[^"?]*)"/g)].flatMap(([, href = ""]) =>
    href.includes("/-/") ? [] : [href],
  );

describe("rows with keys that are not UTF-8 text", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({ sql: SQL });
  });

  for (const path of ["tags", "pairs", "uses", "lists", "tags/ok"]) {
    it(`/library/${path} links only to pages that exist`, async () => {
      const { text, status } = await rowhouse.get(`/library/${path}`);
      const links = rowLinks(text);
      const statuses = await Promise.all(links.map(async (link) => (await rowhouse.get(link)).status));

      expect(status).to.equal(200);
      expect(links).not.to.deep.equal([]);
      expect(links.filter((_, at) => statuses[at] !== 200)).to.deep.equal([]);
    });
  }

  it("are completed without a path", async () => {
    const { json } = await rowhouse.get("/library/tags/-/autocomplete.json?q=");

    const paths = (json.rows as readonly { readonly path: string | null }[]).map(({ path }) => path);
    expect(paths).to.deep.equal([null, "ok", null, null, null]);
  });

  it("are on exactly one page of a list, each of which leads to the next", async () => {
    const seen: unknown[] = [];
    for (let path: string | null = "/library/lists.json?_size=1&_shape=objects"; path !== null;) {
      const { json } = await rowhouse.get(path);
      seen.push(...json.rows.map(({ tag, k }: { tag: string; k: string }) => [k, tag]));
      path = json.next_url === null ? null : json.next_url.replace(rowhouse.origin, "");
    }

    expect(seen).to.deep.equal([
      ["fine", "ok"],
      ["\ufffda", "ok"],
    ]);
  });
});
