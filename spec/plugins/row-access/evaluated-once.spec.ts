import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type RequestOptions, type TestRowhouse } from "rowhouse/testing";

const insert = (table: string, id: number) => ({ op: "insert", table, row: { id, owner: "ann" } });

const requests: readonly (readonly [method: string, path: string, options?: RequestOptions])[] = [
  ["GET", "/library/docs.json"],
  ["GET", "/library/docs.csv"],
  ["GET", "/library/docs.json?owner=ann&_sort=id&_facet=owner"],
  ["GET", "/library/docs.json?_search=mine"],
  ["GET", "/library/docs/1.json"],
  ["GET", "/library/docs/1.json?_extras=version"],
  ["GET", "/library/docs/-/columns"],
  ["POST", "/library/docs/-/insert", { json: { row: { id: 3, owner: "ann" }, return: true } }],
  ["POST", "/library/docs/-/upsert", { json: { rows: [{ id: 1, owner: "ann" }] } }],
  ["POST", "/library/docs/-/insert", { body: "id\n7\n", headers: { "content-type": "text/csv" } }],
  ["POST", "/library/docs/-/update", { json: { filters: { id: 1 }, update: { owner: "ann" } } }],
  ["POST", "/library/docs/-/delete", { json: { filters: { id: 1 } } }],
  ["POST", "/library/docs/1/-/update", { json: { update: { owner: "ann" }, return: true } }],
  ["POST", "/library/docs/1/-/delete", { json: {} }],
  ["POST", "/library/-/batch", { json: { operations: [8, 9].map((id) => insert("docs", id)) } }],
];

describe("the row rule of a table", () => {
  let rowhouse: TestRowhouse;
  let evaluated: string[];
  beforeEach(async () => {
    evaluated = [];
    const counting = definePlugin({
      name: "counting",
      read_scope(_rowhouse, { tables }) {
        evaluated.push(...tables.map(({ name }) => name));
        return tables
          .filter(({ name }) => name === "docs")
          .map(({ name }) => ({ table: name, where: "owner = :me", params: { me: "ann" } }));
      },
    });
    rowhouse = await rowhouseFor({
      sql: `create table docs (id integer primary key, owner text);
        insert into docs values (1, 'ann'), (2, 'bob');
        create virtual table docs_fts using fts5(owner, content='docs', content_rowid='id');`,
      plugins: [counting],
      metadata: {
        permissions: { "update-row": true, "delete-row": true },
        databases: {
          library: {
            tables: { docs: { permissions: { "insert-row": true } }, closed: { allow: false } },
          },
        },
      },
    });
  });

  for (const [method, path, options = {}] of requests) {
    it(`is evaluated once for ${method} ${path}`, async () => {
      const { status, text } = await rowhouse.request(method, path, options);

      expect(status, text).to.be.within(200, 201);
      expect(evaluated.filter((name) => name === "docs")).to.deep.equal(["docs"]);
    });
  }

  it("is not evaluated for a client that may neither write nor view", async () => {
    const { status } = await rowhouse.post("/library/closed/-/insert", { json: { row: { id: 1 } } });

    expect([status, evaluated]).to.deep.equal([403, []]);
  });
});
