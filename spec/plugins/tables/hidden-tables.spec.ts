import { expect } from "chai";
import { rowhouseFor } from "../../harness/index.js";

const TABLES = { geometry_columns: "a", spatial_ref_sys: "a", idx_places_position: "a", places: "a" };

interface ListedTable {
  readonly name: string;
  readonly hidden: boolean;
}

async function hiddenTables(tables: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const rowhouse = await rowhouseFor({ tables });
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
