import { expect } from "chai";
import { mergeUnder, metadataTree } from "../../../plugins/metadata/current-metadata.js";

describe("The metadata tree", () => {
  const tree = metadataTree(
    {
      document: {
        databases: { shop: { title: "Shop", tables: { a: { size: 5 } }, queries: { one: "select 1" } } },
      },
      source: "metadata.json",
      placeOf: () => "metadata.json",
    },
    new Map(),
  );

  it("gives a level's own block, and an empty one where there is none", () => {
    expect(tree.database("shop")).to.include({ title: "Shop" });
    expect(tree.table("shop", "a")).to.deep.equal({ size: 5 });
    expect(tree.table("shop", "b")).to.deep.equal({});
    expect(tree.database("other")).to.deep.equal({});
  });

  it("turns a query written as a string into a block", () => {
    expect(tree.queries("shop")).to.deep.equal({ one: { sql: "select 1" } });
  });

  it("finds nothing under names of object prototypes", () => {
    for (const name of ["__proto__", "constructor", "toString"]) {
      expect(tree.database(name)).to.deep.equal({});
      expect(tree.table("shop", name)).to.deep.equal({});
    }
  });
});

describe("Metadata of plugins", () => {
  it("fills what the document leaves open at every depth, and never changes what it says", () => {
    const own = { title: "Mine", databases: { shop: { source: "me", tables: { a: null } } } };
    const added = {
      title: "Theirs",
      about: "them",
      databases: { shop: { source: "them", license: "L", tables: { a: {} } } },
    };

    expect(mergeUnder(own, added)).to.deep.equal({
      title: "Mine",
      about: "them",
      databases: { shop: { source: "me", license: "L", tables: { a: null } } },
    });
    expect(own).to.deep.equal({ title: "Mine", databases: { shop: { source: "me", tables: { a: null } } } });
  });
});
