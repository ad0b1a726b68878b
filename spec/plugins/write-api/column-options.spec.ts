import { expect } from "chai";
import { rowhouseFor, type Contents, type TestRowhouse } from "../../harness/index.js";

const library = (contents: Contents = {}): Promise<TestRowhouse> =>
  rowhouseFor({
    tables: { owners: "id integer primary key, name text", secrets: "id integer primary key", keyless: "a" },
    metadata: {
      databases: {
        library: {
          permissions: { "create-table": { id: "ann" } },
          tables: { secrets: { allow: { id: "root" } } },
        },
      },
    },
    ...contents,
  });

const create = (rowhouse: TestRowhouse, columns: readonly object[], more: object = {}) =>
  rowhouse.post("/library/-/create", { as: "ann", json: { table: "dogs", columns, ...more } });

describe("the columns of a table to be created", () => {
  it("may be required, have defaults, and point at other tables or their own", async () => {
    const rowhouse = await library();
    const columns = [
      { name: "id", type: "integer" },
      { name: "name", not_null: true, default: "it's" },
      { name: "born", default_expr: "current_date", not_null: false },
      { name: "weight", type: "float", default: 1.0 },
      { name: "owner_id", type: "integer", fk_table: "owners" },
      { name: "owner_name", fk_table: "owners", fk_column: "name" },
      { name: "mother_id", type: "integer", fk_table: "dogs", default: null },
    ];

    const { status, json } = await create(rowhouse, columns, { pk: "id" });

    expect(status).to.equal(201);
    expect(String(json.schema).split("\n")).to.deep.equal([
      "CREATE TABLE [dogs] (",
      "   [id] INTEGER PRIMARY KEY,",
      "   [name] TEXT NOT NULL DEFAULT 'it''s',",
      "   [born] TEXT DEFAULT CURRENT_DATE,",
      "   [weight] FLOAT DEFAULT 1,",
      "   [owner_id] INTEGER REFERENCES [owners]([id]),",
      "   [owner_name] TEXT REFERENCES [owners]([name]),",
      "   [mother_id] INTEGER REFERENCES [dogs]([id])",
      ")",
    ]);
  });

  it("may allow only some values, which an alteration changes and removes", async () => {
    const rowhouse = await library();
    const choices = ["new", "it's sold", 3];
    const created = await create(rowhouse, [
      { name: "state", choices },
      { name: "a", type: "integer" },
    ]);
    const alter = async (operation: string, args: object): Promise<string> => {
      const body = { operations: [{ op: operation, args }] };
      return String((await rowhouse.post("/library/dogs/-/alter", { as: "root", json: body })).json.schema);
    };
    const insert = (row: object) => rowhouse.post("/library/dogs/-/insert", { as: "root", json: { row } });

    const refused = await insert({ state: "old" });
    const accepted = await insert({ state: "it's sold" });
    const changed = await alter("alter_column", { name: "state", choices: ["it's sold"] });
    const removed = await alter("alter_column", { name: "state", choices: null });
    const added = await alter("add_column", { name: "size", type: "integer", choices: [1, 2] });

    expect(created.json.schema).to.include("[state] TEXT CHECK ([state] IN ('new', 'it''s sold', 3))");
    expect([refused.status, accepted.status]).to.deep.equal([400, 201]);
    expect(changed).to.include("[state] TEXT CHECK ([state] IN ('it''s sold'))");
    expect(removed).to.include("[state] TEXT,").and.not.include("CHECK");
    expect(added).to.include("[size] INTEGER CHECK ([size] IN (1, 2))");
  });

  const mistakes: Readonly<Record<string, readonly [column: object, message: string]>> = {
    "a flag that is none": [{ name: "a", not_null: "yes" }, '"not_null" must be true or false'],
    "too many choices": [
      { name: "a", choices: Array.from({ length: 1001 }, String) },
      '"choices" can have at most 1000 values',
    ],
    "choices that are none": [{ name: "a", choices: [] }, '"choices" must be a list of texts and numbers'],
    "two defaults": [
      { name: "a", default: 1, default_expr: "current_date" },
      'Cannot use "default" and "default_expr" at the same time',
    ],
    "a table that is not there": [{ name: "a", fk_table: "nowhere" }, "no such table: nowhere"],
    "a table that the actor may not view": [{ name: "a", fk_table: "secrets" }, "no such table: secrets"],
    "a column that is not there": [
      { name: "a", fk_table: "owners", fk_column: "age" },
      "no such column: age",
    ],
    "a table without a key": [
      { name: "a", fk_table: "keyless" },
      '"fk_column" is needed: keyless has no primary key of one column',
    ],
    "a column of no table": [{ name: "a", fk_column: "id" }, '"fk_column" needs "fk_table"'],
  };
  for (const [mistake, [column, message]] of Object.entries(mistakes)) {
    it(`are refused with ${mistake}, and nothing is made`, async () => {
      const rowhouse = await library();

      const { status, json } = await create(rowhouse, [column]);

      expect([status, json.errors]).to.deep.equal([400, [message]]);
      expect((await rowhouse.get("/library/dogs.json", { as: "ann" })).status).to.equal(404);
    });
  }

  it("are named once in the primary key", async () => {
    const { status, json } = await create(await library(), [{ name: "a" }], { pks: ["a", "a"] });

    expect([status, json.errors]).to.deep.equal([400, ["Duplicate column name: a"]]);
  });

  it("may have unknown keys", async () => {
    const { json } = await create(await library(), [{ name: "a", colour: "red" }]);

    expect(json.schema).to.equal("CREATE TABLE [dogs] (\n   [a] TEXT\n)");
  });
});
