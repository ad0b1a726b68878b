import { expect } from "chai";
import { findConfigFile } from "../../cli/configuration/find-config-file.js";
import { workplace } from "./command.js";

/** Every name a configuration file may have, the one that is taken first first. */
const EVERY_NAME = [
  "package.json",
  ".rowhouserc",
  ".rowhouserc.json",
  ".rowhouserc.yaml",
  ".rowhouserc.yml",
  ".rowhouserc.js",
  ".rowhouserc.ts",
  ".rowhouserc.cjs",
  ".rowhouserc.mjs",
  ".config/rowhouserc",
  ".config/rowhouserc.json",
  ".config/rowhouserc.yaml",
  ".config/rowhouserc.yml",
  ".config/rowhouserc.js",
  ".config/rowhouserc.ts",
  ".config/rowhouserc.cjs",
  ".config/rowhouserc.mjs",
  "rowhouse.config.js",
  "rowhouse.config.ts",
  "rowhouse.config.cjs",
  "rowhouse.config.mjs",
  "rowhouse.yaml",
  "rowhouse.yml",
  "rowhouse.json",
] as const;

// Needs a Node that reads TypeScript.
const readsTypeScript = Boolean((process.features as { readonly typescript?: unknown }).typescript);
const NAMES = EVERY_NAME.filter((name) => readsTypeScript || !name.endsWith(".ts"));

function contentOf(name: string): string {
  const note = JSON.stringify({ versionNote: name });
  if (name === "package.json") return `{"rowhouse": ${note}}`;
  if (/\.c?js$/.test(name)) return `module.exports = ${note};`;
  return /\.(?:mjs|ts)$/.test(name) ? `export default ${note};` : note;
}

describe("Of several configuration files", () => {
  for (const [index, name] of NAMES.entries()) {
    const weaker = NAMES[index + 1];
    describe(name, () => {
      const place = workplace();

      it(weaker === undefined ? "is taken when there is no other" : `is taken before ${weaker}`, async () => {
        for (const each of NAMES.slice(index, index + 2)) place.write({ [each]: contentOf(each) });

        const found = await findConfigFile(place.folder, undefined);

        expect(found?.content).to.deep.equal({ versionNote: name });
      });
    });
  }
});

describe("rowhouse.yaml beside metadata.yaml", () => {
  const place = workplace();
  before(async () => {
    await place.database("site/a.db");
    place.write({
      "site/metadata.yaml":
        "title: Described here\ndatabases: {a: {tables: {t: {columns: {name: A name}}}}}\n",
      "site/rowhouse.yaml": [
        "settings: {default_page_size: 7, max_returned_rows: 70}",
        "allow: {id: ann}",
        "permissions: {debug-menu: {id: ann}}",
        "plugins: {}",
        "pluginConfig: {weather: {key: {$env: WEATHER}}}",
        "databases:",
        "  a:",
        "    allow_sql: false",
        "    queries: {ones: select 1 as one}",
        "    tables: {t: {size: 1, sort_desc: id, facets: [name]}}",
      ].join("\n"),
    });
  });

  const ask = (path: string, ...words: string[]) =>
    place.call(["site", "--actor", '{"id": "ann"}', ...words, "--get", path]);

  it("configures, and the metadata describes", async () => {
    const { stdout } = await ask("/-/metadata.json");

    expect(JSON.parse(stdout)).to.deep.include({ title: "Described here", allow: { id: "ann" } });
    expect(JSON.parse(stdout)).to.have.nested.property("databases.a.tables.t.columns.name", "A name");
    expect(JSON.parse(stdout)).to.have.nested.property("databases.a.tables.t.sort_desc", "id");
  });

  it("orders and pages tables, names queries and closes what it closes", async () => {
    const [table, query, sql, anonymous] = await Promise.all([
      ask("/a/t.json?_shape=array"),
      ask("/a/ones.json?_shape=array"),
      ask("/a.json?sql=select+1"),
      place.call(["site", "--get", "/.json"]),
    ]);

    expect(JSON.parse(table.stdout)).to.deep.equal([{ id: 2, name: "two" }]);
    expect(JSON.parse(query.stdout)).to.deep.equal([{ one: 1 }]);
    expect(JSON.parse(sql.stdout).status).to.equal(403);
    expect(JSON.parse(anonymous.stdout).status).to.equal(403);
  });

  it("is weaker than flags and stronger than the other files of its folder, setting by setting", async () => {
    place.write({ "site/settings.json": { default_page_size: 3, default_facet_size: 4 } });

    const { stdout } = await ask("/-/settings.json", "--setting", "max_returned_rows", "80");

    expect(JSON.parse(stdout)).to.include({
      default_page_size: 7,
      max_returned_rows: 80,
      default_facet_size: 4,
    });
  });
});
