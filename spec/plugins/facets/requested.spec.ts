import { expect } from "chai";
import { facetSize, requestedFacets } from "../../../plugins/facets/requested.js";

const TYPES = ["column", "date", "array"];
const asked = (query: string, facets: unknown = undefined) =>
  requestedFacets(TYPES, { facets }, new URLSearchParams(query), ["kind", "{odd"]).map(
    ({ type, column, configured }) => [type, column, !configured],
  );

describe("requested facets", () => {
  it("come by type, the metadata's first", () => {
    const facets = ["kind", { array: "tags" }, { date: { column: "day" } }];

    expect(asked("_facet_array=list&_facet=lit", facets)).to.deep.equal([
      ["column", "kind", false],
      ["column", "lit", true],
      ["date", "day", false],
      ["array", "tags", false],
      ["array", "list", true],
    ]);
  });

  it("may name their column in JSON", () => {
    expect(asked('_facet={"column":"kind"}')).to.deep.equal([["column", "kind", true]]);
  });

  it("are columns of the table before they are JSON", () => {
    expect(asked("_facet={odd&_facet_array={odd")).to.deep.equal([
      ["column", "{odd", true],
      ["array", "{odd", true],
    ]);
  });

  it("of unknown types are passed over", () => {
    expect(asked("_facet_colour=kind&_facet_size=4&_facet=")).to.deep.equal([]);
  });

  for (const value of ['{"column":', '{"table":"x"}', "{}"]) {
    it(`refuse ${value}`, () => {
      expect(() => asked(`_facet=${value}`)).to.throw("Invalid JSON in _facet");
    });
  }

  it("are one facet if they are requested several times, in any notation", () => {
    const query = new URLSearchParams('_facet=kind&_facet=kind&_facet={"column":"kind"}&_facet_array=kind');

    expect(requestedFacets(TYPES, {}, query, ["kind"])).to.deep.equal([
      {
        type: "column",
        column: "kind",
        configured: false,
        requestedBy: [
          ["_facet", "kind"],
          ["_facet", "kind"],
          ["_facet", '{"column":"kind"}'],
        ],
        places: [0, 1, 2],
      },
      {
        type: "array",
        column: "kind",
        configured: false,
        requestedBy: [["_facet_array", "kind"]],
        places: [3],
      },
    ]);
  });

  it("are the metadata's when the metadata asks for them too", () => {
    expect(asked("_facet=kind", ["kind"])).to.deep.equal([["column", "kind", false]]);
  });

  it("are limited in number", () => {
    const query = Array.from({ length: 101 }, (_, index) => `_facet=c${index}`).join("&");

    expect(() => asked(query)).to.throw("Too many facets");
  });
});

const size = (query: string, metadata = {}) =>
  facetSize(new URLSearchParams(query), metadata, { defaultSize: 30, maxSize: 100 });

describe("the size of facets", () => {
  const cases = [
    ["", {}, 30],
    ["", { facet_size: 4 }, 4],
    ["", { facet_size: "max" }, 100],
    ["_facet_size=7", { facet_size: 4 }, 7],
    ["_facet_size=max", {}, 100],
    ["_facet_size=500", {}, 100],
    ["_facet_size=lots", {}, 30],
  ] as const;
  for (const [query, metadata, expected] of cases) {
    it(`${query || "nothing"} over ${JSON.stringify(metadata)} is ${expected}`, () => {
      expect(size(query, metadata)).to.equal(expected);
    });
  }
});
