import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

const SCRIPT = `
create table things (id int primary key, "Name" text, name text, "NAME" text);
insert into things values (1, 'a', 'b', 'c'), (2, 'a', 'b', 'c');
`;

describePostgres("columns of PostgreSQL whose names differ in case only", (server) => {
  let rowhouse: TestRowhouse;
  let stored: () => Promise<unknown>;
  beforeEach(async () => {
    const uri = await server().createDatabase(SCRIPT);
    rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
    stored = async () =>
      (await server().run("select * from things order by id", uri.split("/").at(-1))).map((row) =>
        Object.values(row).join(" "),
      );
  });

  const post = (path: string, json: object): Promise<TestReply> =>
    rowhouse.post(`/shop/${path}`, { as: "root", json });

  it("are updated each by its own name", async () => {
    for (const [name, value] of Object.entries({ Name: "x", name: "y", NAME: "z" })) {
      const { status, text } = await post("things/1/-/update", { update: { [name]: value } });
      expect(status, text).to.equal(200);
    }
    expect(await stored()).to.deep.equal(["1 x y z", "2 a b c"]);

    await post("things/-/update?id=2", { update: { name: "only" } });
    expect(await stored()).to.deep.equal(["1 x y z", "2 a only c"]);
  });

  it("are added beside each other", async () => {
    const operations = [{ op: "add_column", args: { name: "nAME" } }];
    const added = await post("things/-/alter", { operations });
    const repeated = await post("things/-/alter", { operations });

    expect(added.status, added.text).to.equal(200);
    expect(repeated.json.errors).to.deep.equal(["Operation 0: duplicate column name: nAME"]);
    expect(await stored()).to.deep.equal(["1 a b c ", "2 a b c "]);
  });

  it("select rows for a deletion each by its own name", async () => {
    const { status, text } = await post("things/-/update", { filters: { id: 1 }, update: { name: "only" } });
    expect(status, text).to.equal(200);

    const deletion = await post("things/-/delete", { filters: { name: "only" } });

    expect(deletion.json).to.deep.include({ row_count: 1 });
    expect(await stored()).to.deep.equal(["2 a b c"]);
  });

  it("are restored by the inverse of a batch", async () => {
    const operations = [{ op: "update", table: "things", key: 1, update: { name: "y" } }];
    const { status, text, json } = await post("-/batch", { operations, undo: true });
    expect(status, text).to.equal(200);
    expect(await stored()).to.deep.equal(["1 a y c", "2 a b c"]);

    const { undo } = json as { readonly undo: string };
    await post("-/batch", { operations: JSON.parse(undo) as unknown });
    expect(await stored()).to.deep.equal(["1 a b c", "2 a b c"]);
  });

  it("are indexed and searched each by its own name", async () => {
    const index = await post("things/-/create-index", { columns: ["-name", "NAME"] });
    expect(index.json.schema, index.text).to.match(/\(name DESC, "NAME"\)/);

    const search = await post("things/-/enable-search", { columns: ["name"] });
    expect(search.json.columns, search.text).to.deep.equal(["name"]);
  });

  it("are offered each the values of its own check", async () => {
    const uri = await server().createDatabase(
      `create table states (id int primary key, "State" text check ("State" in ('a', 'b')), state text check (state in ('c', 'd')));`,
    );
    await rowhouse.rowhouse.addDatabase({ uri, name: "states", mutable: true });

    const { text } = await rowhouse.get("/states/states/-/new-row", { as: "root" });
    expect(text.match(/(?<=<option value=")[a-d](?=")/g)).to.deep.equal(["a", "b", "c", "d"]);
  });

  it("are found in another case if no column has the name", async () => {
    const { status, text } = await post("things/1/-/update", { update: { ID: 7 } });
    expect(status, text).to.equal(200);
    expect(await stored()).to.deep.equal(["2 a b c", "7 a b c"]);
  });
});

describePostgres("tables of PostgreSQL whose names differ in case only", (server) => {
  const HIDDEN = `create table "Notes" (id int primary key, code text); insert into "Notes" values (1, 'x');`;
  const OPEN = `create table notes (id int primary key, title text); insert into notes values (1, 'open');`;
  const VIEW = `create view mixed as select notes.id from notes join "Notes" as other using (id);`;

  for (const tables of [HIDDEN + OPEN, OPEN + HIDDEN]) {
    it(`are named in the definition of a view only for actors that may view them: ${tables.slice(0, 20)}`, async () => {
      const { rowhouse, get } = await rowhouseFor({
        plugins: [
          definePlugin({
            name: "no-notes",
            permission_allowed: (_rowhouse, { action, resource }) =>
              action === "view-table" && Array.isArray(resource) && resource[1] === "Notes" ? false : null,
          }),
        ],
      });
      await rowhouse.addDatabase({
        uri: await server().createDatabase(tables + VIEW),
        name: "shop",
        mutable: false,
      });

      expect((await get("/shop/notes.json")).status).to.equal(200);
      const { text } = await get("/shop/mixed.json?_extra=view_definition");
      expect(text).to.include('"view_definition": null');
    });
  }

  for (const allowed of ["Notes", "notes"]) {
    it(`get rows by /-/create only from actors who may insert into this one: ${allowed}`, async () => {
      const { rowhouse, post } = await rowhouseFor({
        plugins: [
          definePlugin({
            name: "one-table",
            permission_allowed: (_rowhouse, { action, resource }) => {
              if (action === "insert-row") return !Array.isArray(resource) || resource[1] === allowed;
              return action === "create-table" ? true : null;
            },
          }),
        ],
      });
      const uri = await server().createDatabase(HIDDEN + OPEN);
      await rowhouse.addDatabase({ uri, name: "shop", mutable: true });

      const statuses = ["Notes", "notes"].map(async (table) => {
        const { status } = await post("/shop/-/create", {
          as: "ann",
          json: { table, row: { id: 2 }, pk: "id" },
        });
        return [table, status] as const;
      });

      expect(Object.fromEntries(await Promise.all(statuses))).to.deep.equal({
        Notes: 403,
        notes: 403,
        [allowed]: 201,
      });
    });
  }

  for (const [own, other] of [
    ["notes", "Notes"],
    ["Notes", "notes"],
  ] as const) {
    it(`have each the rules and the metadata of the block with its own name: ${own}`, async () => {
      const rules = { allow: true, permissions: { "insert-row": { id: "ann" } }, title: "Open" };
      const { rowhouse, get, post, logged } = await rowhouseFor({
        metadata: { databases: { shop: { tables: { [own]: rules } } } },
        options: { defaultDeny: true },
      });
      const uri = await server().createDatabase(HIDDEN + OPEN);
      await rowhouse.addDatabase({ uri, name: "shop", mutable: true });

      const insert = (table: string): Promise<TestReply> =>
        post(`/shop/${table}/-/insert`, { as: "ann", json: { row: { id: 2 } } });
      const statuses = async (table: string): Promise<readonly number[]> => [
        (await get(`/shop/${table}.json`)).status,
        (await insert(table)).status,
      ];

      expect(await statuses(own)).to.deep.equal([200, 201]);
      expect(await statuses(other)).to.deep.equal([403, 403]);
      expect(rowhouse.service("metadata").current().table("shop", other)).to.deep.equal({});
      expect(logged.filter((line) => line.includes("is spelt"))).to.deep.equal([]);
    });
  }

  it("have their metadata shown only to actors who may view the one with this name", async () => {
    for (const hidden of ["Notes", "notes"]) {
      const { rowhouse, get } = await rowhouseFor({
        metadata: { databases: { shop: { tables: { Notes: { title: "N" }, notes: { title: "n" } } } } },
        plugins: [
          definePlugin({
            name: "one-hidden",
            permission_allowed: (_rowhouse, { action, resource }) =>
              action === "view-table" && Array.isArray(resource) && resource[1] === hidden ? false : null,
          }),
        ],
      });
      const uri = await server().createDatabase(HIDDEN + OPEN);
      await rowhouse.addDatabase({ uri, name: "shop", mutable: false });

      const { text } = await get("/-/metadata.json");
      expect(text.match(/notes/gi)).to.deep.equal([hidden === "notes" ? "Notes" : "notes"]);
    }
  });

  it("are restricted each by the rule with its own name", async () => {
    const { rowhouse, get } = await rowhouseFor({
      plugins: [definePlugin({ name: "coded", read_scope: () => ({ table: "Notes", where: "code = 'y'" }) })],
    });
    await rowhouse.addDatabase({
      uri: await server().createDatabase(HIDDEN + OPEN),
      name: "shop",
      mutable: false,
    });

    expect((await get("/shop/Notes.json?_shape=arrays")).json.rows).to.deep.equal([]);
    expect((await get("/shop/notes.json?_shape=arrays")).json.rows).to.deep.equal([[1, "open"]]);
  });
});
