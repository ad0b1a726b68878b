import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";
import { internalFile } from "../column-types/people.js";

const DATABASE_ACTIONS = ["create-table", "insert-row", "update-row", "alter-table"];

/** Everything in the database for `ann`, except one action on the table `closed`. */
const without = (action: string): Promise<TestRowhouse> =>
  rowhouseFor({
    tables: { closed: [{ id: 1, word: "one" }], open: [{ id: 1, word: "one" }] },
    metadata: {
      databases: {
        library: {
          permissions: Object.fromEntries(DATABASE_ACTIONS.map((name) => [name, { id: "ann" }])),
        },
      },
    },
    plugins: [
      definePlugin({
        name: "closing",
        permission_allowed: (_rowhouse, check) =>
          check.action === action && Array.isArray(check.resource) && check.resource[1] === "closed"
            ? false
            : null,
      }),
    ],
  });

const row = { id: 2, word: "two" };

describe("POST /:database/-/create onto a table that exists", () => {
  const cases = [
    ["insert-row", { row }, "Permission denied - need insert-row"],
    [
      "update-row",
      { row: { ...row, id: 1 }, pk: "id", replace: true },
      "Permission denied - need update-row",
    ],
    ["alter-table", { row: { ...row, more: 1 }, alter: true }, "Permission denied: need alter-table"],
  ] as const;
  for (const [action, body, message] of cases) {
    it(`needs ${action} on that table`, async () => {
      const rowhouse = await without(action);
      const create = (table: string) =>
        rowhouse.post("/library/-/create", { as: "ann", json: { table, ...body } });

      const refused = await create("closed");
      const done = await create("open");

      expect([refused.status, refused.json]).to.deep.equal([403, { ok: false, errors: [message] }]);
      expect(done.status).to.equal(201);
      expect(await rowhouse.rows("closed")).to.deep.equal([{ id: 1, word: "one" }]);
    });
  }

  it("needs view-table on that table in its own spelling", async () => {
    const rowhouse = await without("view-table");

    const { status, json } = await rowhouse.post("/library/-/create", {
      as: "ann",
      json: { table: "CLOSED", row },
    });

    expect([status, json.errors]).to.deep.equal([403, ["Permission denied - need view-table"]]);
    expect(await rowhouse.query("select id from closed")).to.deep.equal([{ id: 1 }]);
  });

  it("asks what the token's restrictions say of that table", async () => {
    const rowhouse = await without("none");
    const token = { id: "ann", token: "rhtok", _r: { a: ["ct", "vt", "vd", "vi"], d: { library: ["ir"] } } };

    const reply = await rowhouse.post("/library/-/create", { as: token, json: { table: "open", row } });

    expect(reply.status).to.equal(201);
  });
});

const createTyped = (rowhouse: TestRowhouse, given: readonly object[]) =>
  rowhouse.post("/library/-/create", { as: "root", json: { table: "made", columns: given, pk: "id" } });

describe("column_type of columns of POST /:database/-/create", () => {
  const columns = [
    { name: "id", type: "integer" },
    { name: "link", column_type: { type: "url", config: null } },
    { name: "mail", column_type: "email" },
    { name: "plain", column_type: null },
  ];

  it("is kept, and holds for what comes in", async () => {
    const rowhouse = await rowhouseFor({ options: { internal: internalFile() } });

    const reply = await createTyped(rowhouse, columns);
    const types = await rowhouse.get("/library/made.json?_extra=column_types", { as: "root" });
    const wrong = await rowhouse.post("/library/made/-/insert", {
      as: "root",
      json: { row: { link: "javascript:1" } },
    });

    expect(reply.status).to.equal(201);
    expect(types.json.column_types).to.deep.equal({
      link: { type: "url", config: null },
      mail: { type: "email", config: null },
    });
    expect(wrong.status).to.equal(400);
    expect(rowhouse.events.map(({ name }) => name)).to.deep.equal([
      "create-table",
      "set-column-type",
      "set-column-type",
    ]);
  });

  for (const [what, type, message] of [
    ["an unknown type", "emial", /^unknown column type emial/],
    ["no type", { config: 1 }, /^"column_type" must be null or a dictionary/],
    ["a number", 1, /^"column_type" must be null or a dictionary/],
  ] as const) {
    it(`is refused where it is ${what}, and no table is made`, async () => {
      const rowhouse = await rowhouseFor({ options: { internal: internalFile() } });

      const reply = await createTyped(rowhouse, [{ name: "a", column_type: type }]);

      expect(reply.status).to.equal(400);
      expect(reply.json.errors[0]).to.match(message);
      expect(await rowhouse.query("select name from sqlite_schema")).to.deep.equal([]);
    });
  }

  it("is refused where it cannot be kept", async () => {
    const rowhouse = await rowhouseFor();

    const reply = await createTyped(rowhouse, columns);

    expect(reply.status).to.equal(400);
    expect(reply.json.errors).to.deep.equal([
      "Column types cannot be kept: start the server with --internal and a file",
    ]);
  });
});
