import { expect } from "chai";
import { bundledPlugins } from "rowhouse/plugins";
import { definePlugin, type Plugin } from "rowhouse/plugin-api";
import { kernelWith } from "../harness/bare-kernel.js";
import { failure } from "../harness/failures.js";
import { rowhouseFor } from "../harness/index.js";

const tables = { books: [{ id: 1, title: "Emma" }] };

/** Hides every row from all actors. */
const guard = definePlugin({
  name: "guard",
  read_scope: (_rowhouse, { tables: asked }) => asked.map(({ name }) => ({ table: name, where: "0" })),
});

const requiring = (service: string): readonly string[] =>
  bundledPlugins
    .filter(({ requires = [] }) => (requires as readonly string[]).includes(service))
    .map(({ name }) => name);

/** A plugin as an author in plain JavaScript writes it, who has no types. */
const plugin = (definition: object): Plugin => definition as Plugin;

describe("a service that a plugin requires", () => {
  it("stops the start when no plugin provides it", async () => {
    const { message } = await failure(kernelWith([plugin({ name: "cellar", requires: ["wine"] })]));

    expect(message).to.equal("Plugin cellar requires the service wine, which no plugin provides");
  });

  it("stops the start when its plugin is switched off, and the message names both", async () => {
    const winery = plugin({ name: "winery", provides: ["wine"] });
    const cellar = plugin({ name: "cellar", requires: ["wine"] });
    const bar = plugin({ name: "bar", requires: ["wine"] });

    const { message } = await failure(kernelWith([cellar, bar], { switchedOff: [winery] }));

    expect(message).to.equal(
      "Plugins cellar, bar require the service wine of plugin winery, which is switched off. " +
        "Switch winery on, or switch cellar, bar off",
    );
  });

  it("may come from a plugin that is listed later, and from another one than the bundled", async () => {
    const winery = plugin({ name: "winery", provides: ["wine"] });
    const cellar = plugin({ name: "cellar", requires: ["wine"] });
    const importer = plugin({
      name: "importer",
      apply: (rowhouse: { provide(name: string, service: object): void }) => rowhouse.provide("wine", {}),
    });

    const kernel = await kernelWith([cellar, importer], { switchedOff: [winery] });

    expect(kernel.plugins.map(({ name }) => name)).to.deep.equal(["cellar", "importer"]);
  });

  it("stops the start when its plugin declares it and does not provide it", async () => {
    const { message } = await failure(kernelWith([plugin({ name: "winery", provides: ["wine"] })]));

    expect(message).to.equal("Plugin winery declares the service wine, but does not provide it");
  });
});

describe("a service that is optional to a plugin", () => {
  it("may be absent", async () => {
    const kernel = await kernelWith([plugin({ name: "bar", optional: ["wine"] })]);

    expect(kernel.plugins).to.have.length(1);
  });
});

describe("row access", () => {
  it("needs the plugin row-access: no plugin that reads or writes rows starts without it", async () => {
    const { message } = await failure(rowhouseFor({ tables, without: ["row-access"] }));

    expect(message).to.match(
      /^Plugins .*\bwrite-api\b.* require the service rowAccess of plugin row-access, which is switched off\. /,
    );
    expect(requiring("rowAccess")).to.include.members([
      "browse",
      "confine-sql",
      "download",
      "queries",
      "tables",
      "write-api",
    ]);
  });

  it("needs the plugin confine-sql: no plugin that runs untrusted SQL starts without it", async () => {
    const { message } = await failure(rowhouseFor({ tables, without: ["confine-sql"] }));

    expect(message).to.match(
      /^Plugins .*\bqueries\b.* require the service confinement of plugin confine-sql/,
    );
    expect(requiring("confinement")).to.include.members(["extra-filters", "queries"]);
  });

  it("needs the plugin metadata: allow blocks of the metadata are never passed over", async () => {
    const metadata = { databases: { library: { allow: false } } };

    const { message } = await failure(rowhouseFor({ tables, metadata, without: ["metadata"] }));

    expect(message).to.match(/^Plugin permissions requires the service metadata of plugin metadata/);
  });

  it("is left to a server without any of these plugins", async () => {
    const without = ["row-access", ...requiring("rowAccess"), ...requiring("tables")];

    const rowhouse = await rowhouseFor({ tables, without });

    expect((await rowhouse.get("/library/books.json")).status).to.equal(404);
    expect((await rowhouse.get("/library.json?sql=select+*+from+books")).status).to.equal(404);
    expect((await rowhouse.get("/-/plugins.json")).status).to.equal(200);
  });
});

describe("a hook that enforces a rule", () => {
  it("stops the start when a plugin taps it and its owner is switched off, naming both", async () => {
    const without = ["row-access", ...requiring("rowAccess"), ...requiring("tables")];

    const { message } = await failure(rowhouseFor({ tables, plugins: [guard], without }));

    expect(message).to.equal(
      "Plugin guard enforces a rule by the hook read_scope of plugin row-access, which is switched off. " +
        "Switch row-access on, or remove guard",
    );
  });

  const enforcing: readonly (readonly [hook: string, owner: string])[] = [
    ["read_scope", "row-access"],
    ["write_wrapper", "events"],
    ["get_metadata", "metadata"],
  ];
  for (const [hook, owner] of enforcing) {
    it(`${hook} is one, optional or not`, async () => {
      const off = bundledPlugins.filter(({ name }) => name === owner);
      const tapping = plugin({ name: "strict", optionalHooks: [hook], [hook]: () => null });

      const { message } = await failure(kernelWith([tapping], { switchedOff: off }));

      expect(message).to.equal(
        `Plugin strict enforces a rule by the hook ${hook} of plugin ${owner}, which is switched off. ` +
          `Switch ${owner} on, or remove strict`,
      );
    });
  }

  it("is the only kind: decorations of a plugin that is switched off are left out", async () => {
    const rowhouse = await rowhouseFor({
      tables,
      without: ["pages"],
      plugins: [{ name: "painter", extra_css_urls: () => "/paint.css" }],
    });

    expect((await rowhouse.get("/library/books.json")).status).to.equal(200);
  });
});
