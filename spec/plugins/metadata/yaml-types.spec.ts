import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";

/** As YAML parses `sort_desc: 2020`, `hidden: 1` and the like. */
const years = {
  sort_desc: 2020,
  sortable_columns: [2020, "id"],
  facets: [2020, { array: true }],
  label_column: 2021,
  columns: { 2020: 5 },
};

describe("Texts and switches in metadata that YAML parses as numbers", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({
      sql: `
        create table years (id integer primary key, "2020" integer, "2021" text, "true" text);
        insert into years values (1, 5, 'a', '["x"]'), (2, 7, 'b', '["x", "y"]');
        create table entries (id integer primary key, year integer references years(id));
        insert into entries values (1, 2);
        create table old (id integer primary key);`,
      metadata: {
        databases: {
          library: {
            tables: { years, old: { hidden: 1 } },
            queries: {
              add: {
                sql: "insert into old default values",
                write: 1,
                on_success_message: 7,
                title: 2024,
              },
            },
          },
        },
      },
    });
  });

  it("name columns", async () => {
    const { json } = await rowhouse.get("/library/years.json?_labels=on");
    const { status } = await rowhouse.get("/library/years.json?_sort=true");
    const labelled = await rowhouse.get("/library/entries.json?_labels=on&_shape=array");

    expect(json.rows.map(([id]: [number]) => id)).to.deep.equal([2, 1]);
    expect(json.human_description_en).to.equal("sorted by 2020 descending");
    expect(Object.keys(json.facet_results as object)).to.deep.equal(["2020", "true"]);
    expect(status).to.equal(400);
    expect(labelled.json).to.deep.equal([{ id: 1, year: { value: 2, label: "b" } }]);
  });

  it("hide a table", async () => {
    const { json } = await rowhouse.get("/library.json");

    const hidden = json.tables.filter((table: { hidden: boolean }) => table.hidden);
    expect(hidden.map(({ name }: { name: string }) => name)).to.deep.equal(["old"]);
  });

  it("make a query write, and give it a message", async () => {
    const { json } = await rowhouse.post("/library/add?_json=1", { as: "root", json: {} });

    expect(json).to.deep.equal({ ok: true, message: "7", redirect: null });
    expect(await rowhouse.rows("old")).to.have.length(1);
  });

  it("do not tell the name of a hidden column", async () => {
    const hiding = definePlugin({
      name: "hiding",
      read_scope: () => ({ table: "years", hiddenColumns: ["2020"] }),
    });
    const guarded = await rowhouseFor({
      tables: { years: 'id integer primary key, "2020" integer, "2021" text, "true" text' },
      metadata: { databases: { library: { tables: { years } } } },
      plugins: [hiding],
    });

    expect((await guarded.get("/-/metadata.json")).text).not.to.include("2020");
  });
});
