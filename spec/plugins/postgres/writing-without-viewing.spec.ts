import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

const SCRIPT = `
  create type mood as enum ('sad', 'ok');
  create table closed (
    id int primary key, day date, code varchar(3), feeling mood, size numeric(4, 1), tags int[], small smallint,
    doubled int generated always as (id * 2) stored
  );
  create table open (id int primary key, name text);
  create index closed_by_day on closed (day);`;

const MISFITS = [
  { day: "someday" },
  { day: "2024-02-30" },
  { code: "too long" },
  { feeling: "glad" },
  { size: 99_999 },
  { tags: "{1" },
  { small: 100_000 },
  { small: "x" },
  { doubled: 1 },
];

describePostgres("a write to a Postgres table without view-table", (server) => {
  let rowhouse: TestRowhouse;
  before(async () => {
    const writer = { id: "writer" };
    const shop = {
      permissions: { "insert-row": writer, "alter-table": writer },
      tables: { closed: { allow: false } },
    };
    rowhouse = await rowhouseFor({ metadata: { databases: { shop } } });
    const uri = await server().createDatabase(SCRIPT);
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });

  const errors = async (path: string, body: string, type = "application/json"): Promise<unknown> => {
    const token = await rowhouse.rowhouse.service("tokens").createToken("writer");
    const headers = { "content-type": type };
    return (await rowhouse.post(`/shop/${path}`, { token, headers, body })).json;
  };

  for (const misfit of MISFITS) {
    it(`does not tell the type of the column: ${JSON.stringify(misfit)}`, async () => {
      const row = { id: 1, ...misfit };
      const operations = [{ op: "insert", table: "closed", row }];

      expect(await errors("closed/-/insert", JSON.stringify({ row }))).to.deep.equal({
        ok: false,
        errors: ["datatype mismatch"],
      });
      expect(await errors("-/batch", JSON.stringify({ operations }))).to.deep.equal({
        ok: false,
        errors: ["Operation 0: datatype mismatch"],
      });
      expect(await errors("closed/-/insert", JSON.stringify(row), "application/x-ndjson")).to.deep.equal({
        ok: false,
        errors: ["Row 0 (line 1): datatype mismatch"],
      });
    });
  }

  it("says completely that the name of a new index is taken", async () => {
    const body = JSON.stringify({ columns: ["name"], name: "closed_by_day" });

    expect(await errors("open/-/create-index", body)).to.deep.equal({
      ok: false,
      errors: ['relation "closed_by_day" already exists'],
    });
  });
});
