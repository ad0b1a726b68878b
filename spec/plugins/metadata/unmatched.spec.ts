import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { failure } from "../../harness/failures.js";
import { rowhouseFor, type Contents, type TestRowhouse } from "../../harness/index.js";
import { until } from "../../harness/until.js";

const tables = { pub: [{ id: 1 }], brewery: [{ id: 1, name: "Ale" }] };
const serve = (metadata: object, more: Contents = {}): Promise<TestRowhouse> =>
  rowhouseFor({ tables, metadata, ...more });
const warnings = ({ logged }: TestRowhouse): readonly string[] =>
  logged.filter((line) => line.startsWith("warn: ")).map((line) => line.slice("warn: ".length));
const inLibrary = (block: object): object => ({ databases: { library: block } });

describe("metadata about something that does not exist", () => {
  const cases: readonly (readonly [what: string, metadata: object, warning: string])[] = [
    [
      "a misspelt table",
      inLibrary({ tables: { brewry: { allow: false } } }),
      "metadata.json: databases.library.tables.brewry matches no table or view of library, " +
        "did you mean brewery? It has no effect",
    ],
    [
      "a table that nothing resembles",
      inLibrary({ tables: { xyzzy: { allow: false } } }),
      "metadata.json: databases.library.tables.xyzzy matches no table or view of library. It has no effect",
    ],
    [
      "a misspelt table in another case",
      inLibrary({ tables: { BREWRY: { allow: false } } }),
      "metadata.json: databases.library.tables.BREWRY matches no table or view of library, " +
        "did you mean brewery? It has no effect",
    ],
    ...[
      [{ label_column: "nme" }, "label_column", ": nme, did you mean name?"],
      [{ sort: "xyzzy" }, "sort", ": xyzzy."],
      [{ facets: ["name", { array: { column: "nam" } }] }, "facets", ": nam, did you mean name?"],
      [{ units: { nme: "m" } }, "units.nme", ": nme, did you mean name?"],
    ].map(
      ([block, key, said]) =>
        [
          `a column that does not exist in ${String(key)}`,
          inLibrary({ tables: { brewery: block } }),
          `metadata.json: databases.library.tables.brewery.${String(key)} names no column of brewery${String(said)} It has no effect`,
        ] as const,
    ),
    [
      "a full-text table that does not exist",
      inLibrary({ tables: { brewery: { fts_table: "brewry" } } }),
      "metadata.json: databases.library.tables.brewery.fts_table names no table: brewry, did you mean brewery? " +
        "Searches of brewery fail",
    ],
    [
      "a column of a full-text table that does not exist",
      inLibrary({ tables: { brewery: { fts_table: "pub", fts_pk: "xyzzy" } } }),
      "metadata.json: databases.library.tables.brewery.fts_pk names no column of brewery: xyzzy. Searches fail",
    ],
    [
      "a plugin that is not loaded, in a table",
      inLibrary({ tables: { brewery: { plugins: { "row-owners": { column: "name" } } } } }),
      "metadata.json: databases.library.tables.brewery.plugins.row-owners names no plugin that is loaded. It has no effect",
    ],
    [
      "a plugin that is not loaded, in a database",
      inLibrary({ plugins: { facet: {} } }),
      "metadata.json: databases.library.plugins.facet names no plugin that is loaded. It has no effect",
    ],
    [
      "a plugin that is not loaded",
      { plugins: { "row-owners": {} } },
      "metadata.json: plugins.row-owners names no plugin that is loaded. It has no effect",
    ],
    [
      "settings, which the metadata cannot contain",
      { settings: { default_page_size: 5 } },
      "metadata.json: settings belongs in a configuration file (--config). It has no effect",
    ],
    [
      "a misspelt database",
      { databases: { libary: { allow: false } } },
      "metadata.json: databases.libary matches no database, did you mean library? It has no effect",
    ],
    [
      "a query among the tables",
      inLibrary({ tables: { top: { allow: false } }, queries: { top: "select 1" } }),
      "metadata.json: databases.library.tables.top matches no table or view of library; " +
        "top is a query, which belongs under queries. It has no effect",
    ],
    [
      "a misspelt query of a plugin among the tables",
      inLibrary({ tables: { breweries_by_towm: { allow: false } } }),
      "metadata.json: databases.library.tables.breweries_by_towm matches no table or view of library; " +
        "breweries_by_town is a query, which belongs under queries. It has no effect",
    ],
    [
      "a table in another case, which it matches",
      inLibrary({ tables: { Pub: { allow: false } } }),
      "metadata.json: databases.library.tables.Pub is spelt pub in the database. It applies to pub",
    ],
    [
      "a database in another case, which it matches",
      { databases: { Library: { title: "Books" } } },
      "metadata.json: databases.Library is spelt library here. It applies to library",
    ],
    [
      "an action that nothing asks for",
      inLibrary({ permissions: { "insert-rows": { id: "ann" } } }),
      "metadata.json: databases.library.permissions.insert-rows names no permission, did you mean insert-row? It has no effect",
    ],
    [
      "a key that is almost allow",
      inLibrary({ tables: { pub: { alow: false, all: true, owner: "ann" } } }),
      "metadata.json: databases.library.tables.pub.alow is not known, did you mean allow? It has no effect",
    ],
    [
      "a key that is almost permissions",
      { permisions: { "insert-row": { id: "ann" } } },
      "metadata.json: permisions is not known, did you mean permissions? It has no effect",
    ],
  ];
  const byTown = definePlugin({
    name: "by-town",
    canned_queries: () => ({ breweries_by_town: "select 1" }),
  });
  for (const [what, metadata, warning] of cases) {
    it(`is warned about at the start: ${what}`, async () => {
      const rowhouse = await serve(metadata, { plugins: [byTown] });

      expect(warnings(rowhouse)).to.deep.equal([warning]);
    });
  }

  it("breaks no page: orders, facets and labels by a column that does not exist are left out", async () => {
    const rowhouse = await rowhouseFor({
      sql: `create table authors (id integer primary key, name text); insert into authors values (1, 'Ann');
        create table books (id integer primary key, author integer references authors); insert into books values (1, 1);`,
      metadata: inLibrary({
        tables: {
          authors: { label_column: "nme", sort: "nme", facets: ["nme", { array: "nme" }] },
          books: { sort_desc: "nme" },
        },
      }),
    });
    for (const path of ["/library/authors", "/library/authors/1", "/library/books", "/library/books/1"]) {
      expect((await rowhouse.get(path)).status, path).to.equal(200);
    }
    const { json } = await rowhouse.get("/library/books.json?_shape=array&_labels=on");
    expect(json).to.deep.equal([{ id: 1, author: { value: 1, label: "1" } }]);
  });

  it("names the line of the file where that is known", async () => {
    const rowhouse = await rowhouseFor({
      tables,
      options: {
        metadata: {
          document: inLibrary({ tables: { brewry: { allow: false } } }),
          source: "metadata.yaml",
          placeOf: (path) => `metadata.yaml, line ${path.length}`,
        },
      },
    });

    expect(warnings(rowhouse)[0]).to.match(/^metadata\.yaml, line 4: databases\.library\.tables\.brewry /);
  });

  it("is not warned about where everything is spelt as it is", async () => {
    const rowhouse = await serve(
      inLibrary({
        allow: true,
        permissions: { "insert-row": false },
        tables: { pub: { title: "Pubs" } },
        queries: { top: "select 1" },
      }),
    );

    expect(warnings(rowhouse)).to.deep.equal([]);
  });

  it("is not warned about for a database that a plugin adds while it starts", async () => {
    const adding = definePlugin({
      name: "adding",
      startup: async (rowhouse) =>
        void (await rowhouse.addDatabase({ uri: "memory:", name: "extra", mutable: true })),
    });

    const rowhouse = await serve({ databases: { extra: { title: "More" } } }, { plugins: [adding] });

    expect(warnings(rowhouse)).to.deep.equal([]);
  });

  it("is warned about when a database comes later", async () => {
    const rowhouse = await serve({ databases: { later: { tables: { brewry: { allow: false } } } } });
    expect(warnings(rowhouse)).to.deep.equal([
      "metadata.json: databases.later matches no database. It has no effect",
    ]);

    await rowhouse.rowhouse.addDatabase({ uri: `file:${rowhouse.file()}`, name: "later", mutable: false });

    await until(() => warnings(rowhouse).length === 2);
    expect(warnings(rowhouse)[1]).to.include("tables.brewry matches no table or view of later");
  });

  it("is warned about when the metadata is loaded again", async () => {
    let tablesOfPlugin = {};
    const adding = definePlugin({
      name: "adding",
      get_metadata: () => inLibrary({ tables: tablesOfPlugin }) as Record<string, unknown>,
    });
    const rowhouse = await serve({}, { plugins: [adding] });
    expect(warnings(rowhouse)).to.deep.equal([]);

    tablesOfPlugin = { brewry: { allow: false } };
    await rowhouse.rowhouse.service("metadata").reload();

    expect(warnings(rowhouse)[0]).to.include("tables.brewry matches no table or view of library");
  });
});

it("metadata of a plugin with a wrong value stops the start, naming the plugin", async () => {
  const adding = definePlugin({
    name: "adding",
    get_metadata: () => inLibrary({ plugins: "all" }) as Record<string, unknown>,
  });

  expect((await failure(serve({}, { plugins: [adding] }))).message).to.equal(
    "the metadata of plugin adding: databases.library.plugins must be an object by plugin, without false: only the configuration file switches plugins off",
  );
});
