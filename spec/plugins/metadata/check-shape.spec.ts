import { expect } from "chai";
import { StartupError } from "rowhouse/plugin-api";
import { checkShape } from "../../../plugins/metadata/check-shape.js";

describe("The shape of metadata at the start", () => {
  const wrong = [
    [["a"], "meta.yaml must be an object"],
    [{ databases: [] }, "meta.yaml: databases must be an object"],
    [{ databases: { shop: { tables: "all" } } }, "meta.yaml: databases.shop.tables must be an object"],
    [{ plugins: "all" }, "meta.yaml: plugins must be an object"],
    [
      { databases: { shop: { queries: { q: 5 } } } },
      "meta.yaml: databases.shop.queries.q must be an SQL string or an object with the key sql",
    ],
    [
      { databases: { shop: { queries: { q: { title: "no sql" } } } } },
      "meta.yaml: databases.shop.queries.q.sql must be an SQL string",
    ],
    [
      { databases: { shop: { queries: { q: { sql: "select 1", params: "a" } } } } },
      "meta.yaml: databases.shop.queries.q.params must be a list of parameter names",
    ],
  ] as const;
  for (const [document, message] of wrong) {
    it(`stops at ${JSON.stringify(document)}`, () => {
      expect(() => checkShape(document, "meta.yaml")).to.throw(StartupError, message);
    });
  }

  it("takes an empty level for an empty block, and keeps unknown keys", () => {
    const document = { anything: [1], databases: { shop: null } };

    expect(checkShape(document, "meta.yaml")).to.equal(document);
  });
});
