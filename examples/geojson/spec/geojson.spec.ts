import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";
import geojson from "rowhouse-plugin-geojson";

const towns = [
  { id: 1, name: "Bath", latitude: 51.38, longitude: -2.36 },
  { id: 2, name: "Nowhere", latitude: null, longitude: 0 },
  { id: 3, name: "Text", latitude: "50.5", longitude: "1" },
];

describe("geojson", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({ tables: { towns, notes: [{ id: 1, text: "x" }] }, plugins: [geojson] });
  });

  it("shows rows as points, the other columns as properties", async () => {
    const { json, headers } = await rowhouse.get("/library/towns.geojson?_size=2");

    expect(headers["content-type"]).to.equal("application/geo+json");
    expect(headers.link).to.match(/^<http.*_next=2>; rel="next"$/);
    expect(json.features).to.deep.equal([
      {
        type: "Feature",
        geometry: { type: "Point", coordinates: [-2.36, 51.38] },
        properties: { id: 1, name: "Bath" },
      },
      { type: "Feature", geometry: null, properties: { id: 2, name: "Nowhere" } },
    ]);
  });

  it("streams a whole table, whatever the page size", async () => {
    const { json } = await rowhouse.get("/library/towns.geojson?_stream=1&_size=1");

    expect(json.features.map(({ geometry }: { geometry: unknown }) => geometry)).to.deep.equal([
      { type: "Point", coordinates: [-2.36, 51.38] },
      null,
      { type: "Point", coordinates: [1, 50.5] },
    ]);
  });

  it("renders queries, and is linked from pages with coordinates", async () => {
    const query = "select 'x' as name, 1.5 as lat, 2 as lng";

    const { json } = await rowhouse.get(`/library.geojson?sql=${encodeURIComponent(query)}`);

    expect(json.features[0].geometry.coordinates).to.deep.equal([2, 1.5]);
    expect((await rowhouse.get("/library/towns")).text).to.include("towns.geojson");
    expect((await rowhouse.get("/library/notes")).text).not.to.include("notes.geojson");
  });

  it("names the missing columns on other pages", async () => {
    expect((await rowhouse.get("/library/notes.geojson")).status).to.equal(400);
  });
});
