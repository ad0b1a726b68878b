import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor } from "../../harness/index.js";
import { PEOPLE, cellOf, internalFile, setType, typedPeople } from "./people.js";

const ANN = "insert into people (id, name, email) values (1, 'mailto:a@b.cc', 'ann@example.org');";
const kept = () => ({ internal: internalFile() });
const URL_TYPE = { type: "url", config: null };

const typesIn = async (rowhouse: Awaited<ReturnType<typeof typedPeople>>): Promise<unknown> =>
  (await rowhouse.get("/library/people.json?_extra=column_types", { as: "root" })).json.column_types;

describe("POST /:database/:table/-/set-column-type", () => {
  it("gives a column a type, which counts at once, on pages and on the way in", async () => {
    const rowhouse = await typedPeople({ sql: ANN, options: kept() });

    const reply = await setType(rowhouse, "NAME", URL_TYPE);

    expect(reply.status).to.equal(200);
    expect(reply.json).to.deep.equal({
      ok: true,
      database: "library",
      table: "people",
      column: "name",
      column_type: URL_TYPE,
    });
    expect(cellOf(await rowhouse.get("/library/people"), "name")).to.include('href="mailto:a@b.cc"');
    const written = await rowhouse.post("/library/people/1/-/update", {
      as: "root",
      json: { update: { name: "javascript:1" } },
    });
    expect(written.status).to.equal(400);
  });

  it("leaves the database file alone, and works on immutable ones", async () => {
    const rowhouse = await typedPeople({ sql: ANN, options: kept(), immutable: ["library"] });

    expect((await setType(rowhouse, "name", URL_TYPE)).status).to.equal(200);
    expect(await rowhouse.query("select name from sqlite_master")).to.deep.equal([{ name: "people" }]);
    expect(cellOf(await rowhouse.get("/library/people"), "name")).to.include("<a ");
  });

  it("works on a view", async () => {
    const rowhouse = await rowhouseFor({
      sql: `${PEOPLE} ${ANN}`,
      views: {},
      databases: { other: "create view links as select 'mailto:a@b.cc' as link" },
      options: kept(),
    });

    const reply = await rowhouse.post("/other/links/-/set-column-type", {
      as: "root",
      json: { column: "link", column_type: URL_TYPE },
    });

    expect(reply.status).to.equal(200);
    expect(cellOf(await rowhouse.get("/other/links"), "link")).to.include("<a ");
  });

  it("wins over the metadata, and null takes away what that gives", async () => {
    const rowhouse = await typedPeople({ sql: ANN, options: kept() });

    await setType(rowhouse, "email", { type: "textarea" });
    expect(await typesIn(rowhouse)).to.deep.include({ email: { type: "textarea", config: null } });

    const { json } = await setType(rowhouse, "email", null);
    expect(json.column_type).to.equal(null);
    expect(await typesIn(rowhouse)).to.not.have.property("email");
    expect(cellOf(await rowhouse.get("/library/people"), "email")).to.equal("ann@example.org");
  });

  it("is still there after a restart", async () => {
    const options = kept();
    const first = await typedPeople({ options });
    await setType(first, "name", URL_TYPE);
    await first.close();

    const second = await typedPeople({ options });

    expect(await typesIn(second)).to.deep.include({ name: URL_TYPE });
  });

  it("counts for every server with the same file", async () => {
    const options = kept();
    const one = await typedPeople({ options });
    const other = await typedPeople({ options });

    await setType(one, "name", URL_TYPE);

    expect(await typesIn(other)).to.deep.include({ name: URL_TYPE });
  });

  it("moves the entity tags of pages, and no reply from before is sent again", async () => {
    const rowhouse = await typedPeople({ sql: ANN, options: kept() });
    for (const path of ["/library/people", "/library/people/1", "/library/people.json?_extra=column_types"]) {
      await setType(rowhouse, "name", null);
      const before = await rowhouse.get(path);
      const etag = String(before.headers.etag);
      expect((await rowhouse.get(path, { headers: { "if-none-match": etag } })).status).to.equal(304);

      await setType(rowhouse, "name", URL_TYPE);

      const after = await rowhouse.get(path, { headers: { "if-none-match": etag } });
      expect(after.status).to.equal(200);
      expect(after.text).to.not.equal(before.text);
    }
  });

  it("sends an event", async () => {
    const rowhouse = await typedPeople({ options: kept() });

    await setType(rowhouse, "name", URL_TYPE);
    await setType(rowhouse, "name", null);

    const told = rowhouse.events.map(({ actor: _actor, created: _created, ...event }) => event);
    const about = { name: "set-column-type", database: "library", table: "people", column: "name" };
    expect(told).to.deep.equal([
      { ...about, column_type: "url" },
      { ...about, column_type: null },
    ]);
    expect(rowhouse.logged.filter((line) => line.includes("no plugin registers"))).to.deep.equal([]);
  });

  it("goes with a table that is renamed, and ends with one that is dropped", async () => {
    const rowhouse = await typedPeople({ options: kept(), metadata: {} });
    await setType(rowhouse, "name", URL_TYPE);
    const typesOf = async (table: string): Promise<unknown> =>
      (await rowhouse.get(`/library/${table}.json?_extra=column_types`)).json.column_types;

    const renamed = await rowhouse.post("/library/people/-/alter", {
      as: "root",
      json: { operations: [{ op: "rename_table", args: { to: "folk" } }] },
    });
    expect(renamed.status).to.equal(200);
    expect(await typesOf("folk")).to.deep.equal({ name: URL_TYPE });

    await rowhouse.post("/library/folk/-/drop", { as: "root", json: { confirm: true } });
    await rowhouse.post("/library/-/create", { as: "root", json: { table: "folk", row: { name: "x" } } });
    expect(await typesOf("folk")).to.deep.equal({});
  });

  it("goes with a column that is renamed, and ends with one that is dropped", async () => {
    const rowhouse = await typedPeople({ options: kept(), metadata: {} });
    await setType(rowhouse, "name", URL_TYPE);
    await setType(rowhouse, "notes", { type: "json" });
    const alter = async (
      ...operations: readonly (readonly [op: string, args: object])[]
    ): Promise<unknown> => {
      const json = { operations: operations.map(([op, args]) => ({ op, args })) };
      expect((await rowhouse.post("/library/people/-/alter", { as: "root", json })).status).to.equal(200);
      return typesIn(rowhouse);
    };

    const renamed = await alter(
      ["rename_column", { name: "name", to: "other" }],
      ["rename_column", { name: "notes", to: "name" }],
      ["rename_column", { name: "OTHER", to: "notes" }],
    );
    expect(renamed).to.deep.equal({ name: { type: "json", config: null }, notes: URL_TYPE });

    const dropped = await alter(["drop_column", { name: "notes" }], ["add_column", { name: "notes" }]);
    expect(dropped).to.deep.equal({ name: { type: "json", config: null } });
  });

  const refusals = [
    [{}, '"column" must be a name'],
    [{ column: "name" }, '"column_type" must be null or a dictionary with "type" and "config"'],
    [
      { column: "name", column_type: "url" },
      '"column_type" must be null or a dictionary with "type" and "config"',
    ],
    [
      { column: "name", column_type: { config: 1 } },
      '"column_type" must be null or a dictionary with "type" and "config"',
    ],
    [{ column: "name", column_type: { type: "url", x: 1 } }, 'Invalid parameter: "x"'],
    [{ column: "name", column_type: null, x: 1 }, 'Invalid parameter: "x"'],
    [{ column: "nope", column_type: null }, "no such column: nope"],
    [{ column: "name", column_type: { type: "ulr" } }, "unknown column type ulr, did you mean url?"],
    [
      { column: "name", column_type: { type: "url", config: {} } },
      "the config of column type url is not wanted: it takes none",
    ],
  ] as const;
  for (const [body, error] of refusals) {
    it(`refuses ${JSON.stringify(body)}`, async () => {
      const rowhouse = await typedPeople({ options: kept() });

      const reply = await rowhouse.post("/library/people/-/set-column-type", { as: "root", json: body });

      expect(reply.status).to.equal(400);
      expect(reply.json).to.deep.equal({ ok: false, errors: [error] });
      expect(await typesIn(rowhouse)).to.not.have.property("name");
    });
  }

  it("names the missing option if types cannot be stored", async () => {
    const reply = await setType(await typedPeople(), "name", URL_TYPE);

    expect(reply.status).to.equal(400);
    expect(reply.json.errors).to.deep.equal([
      "Column types cannot be kept: start the server with --internal and a file",
    ]);
  });

  it("checks alter-table before anything else", async () => {
    const rowhouse = await typedPeople({ options: kept() });
    for (const column of ["name", "nope"]) {
      const reply = await setType(rowhouse, column, { type: "nope" }, "ann");

      expect(reply.status).to.equal(403);
      expect(reply.json.errors).to.deep.equal(["Permission denied"]);
    }
    const missing = await rowhouse.post("/library/nope/-/set-column-type", { as: "root", json: {} });
    expect(missing.status).to.equal(404);
  });

  it("does not disclose whether a hidden table exists", async () => {
    const rowhouse = await typedPeople({
      options: kept(),
      metadata: { databases: { library: { allow: { id: "root" } } } },
    });
    const there = await setType(rowhouse, "name", URL_TYPE, "ann");
    const missing = await rowhouse.post("/library/nope/-/set-column-type", {
      as: "ann",
      json: { column: "a" },
    });

    expect([there.status, there.text]).to.deep.equal([missing.status, missing.text]);
  });

  it("keeps types of hidden columns hidden, and is not for those who see a part of a table", async () => {
    const hides = definePlugin({
      name: "hides",
      permission_allowed: (_rowhouse, { actor, action }) =>
        actor?.id === "ann" && action === "alter-table" ? true : null,
      read_scope: (_rowhouse, { actor }) =>
        actor?.id === "root" ? [] : [{ table: "people", hiddenColumns: ["email"] }],
    });
    const rowhouse = await typedPeople({ options: kept(), plugins: [hides] });

    const { json } = await rowhouse.get("/library/people.json?_extra=column_types", { as: "ann" });
    expect(Object.keys(json.column_types)).to.not.include("email");
    expect(await typesIn(rowhouse)).to.include.keys("email");
    const page = await rowhouse.get("/library/people.json?_extra=metadata", { as: "ann" });
    expect(page.text).to.not.include("email");
    expect((await setType(rowhouse, "email", URL_TYPE, "ann")).status).to.equal(403);
  });

  it("is described for those who may use it", async () => {
    const rowhouse = await typedPeople({ options: kept() });
    const path = "/library/people/-/set-column-type";

    expect((await rowhouse.get("/-/openapi.json", { as: "root" })).json.paths).to.include.keys(path);
    expect((await rowhouse.get("/-/openapi.json")).json.paths).to.not.have.property(path);
  });
});
