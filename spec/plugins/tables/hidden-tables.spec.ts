import { expect } from "chai";
import { rowhouseFor, type Contents } from "../../harness/index.js";

const TABLES = { geometry_columns: "a", spatial_ref_sys: "a", idx_places_position: "a", places: "a" };

interface ListedTable {
  readonly name: string;
  readonly hidden: boolean;
}

async function hiddenTables(
  tables: Readonly<Record<string, string>>,
  contents: Contents = {},
): Promise<readonly string[]> {
  const rowhouse = await rowhouseFor({ tables, ...contents });
  const { json } = await rowhouse.get("/library.json");
  return (json.tables as readonly ListedTable[]).flatMap(({ name, hidden }) => (hidden ? name : []));
}

describe("internal tables of SpatiaLite", () => {
  it("are hidden in a database that SpatiaLite has prepared", async () => {
    expect(await hiddenTables(TABLES)).to.have.members([
      "geometry_columns",
      "spatial_ref_sys",
      "idx_places_position",
    ]);
  });

  it("have names that are not hidden in other databases", async () => {
    const { geometry_columns: _, ...others } = TABLES;

    expect(await hiddenTables(others)).to.deep.equal([]);
  });
});

describe("Tables that listings hide", () => {
  it("are those of search, those behind other virtual tables, statistics, and what the metadata hides", async () => {
    const hidden = await hiddenTables(
      { books: "title text", notes: "body text" },
      {
        sql: `create index books_title on books (title); insert into books values ('Emma'); analyze;
          create virtual table books_fts using fts5 (title);
          create virtual table areas using rtree (id, low, high);`,
        metadata: { databases: { library: { tables: { notes: { hidden: true } } } } },
      },
    );

    expect(hidden).to.include.members(["notes", "sqlite_stat1", "books_fts", "books_fts_data", "areas_node"]);
    expect(hidden).not.to.include.members(["books"]).and.not.include.members(["areas"]);
  });
});
