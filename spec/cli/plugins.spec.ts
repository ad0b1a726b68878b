import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { importPlugin } from "../../cli/plugins/plugin-module.js";
import { failure } from "../harness/failures.js";
import { workplace } from "./command.js";

const names = (stdout: string): readonly string[] =>
  (JSON.parse(stdout) as readonly { readonly name: string }[]).map(({ name }) => name);

const plugin = (hook = "startup"): string => `export default { ${hook}() {} };`;

const route = (
  name: string,
) => `register_routes: () => [{ name: "${name}", path: /^\\/-\\/${name}$/, target: "instance",
  view: async ({ rowhouse }) => ({ status: 200, headers: {}, body: JSON.stringify(await rowhouse.pluginConfig("${name}.mjs")) }) }],`;

describe("finding plugins", () => {
  const place = workplace();
  const installed = (name: string, manifest: object, code = plugin()) => {
    place.write({
      [`node_modules/${name}/package.json`]: {
        name,
        version: "1.2.3",
        type: "module",
        main: "index.js",
        ...manifest,
      },
      [`node_modules/${name}/index.js`]: code,
    });
  };

  before(() => {
    place.write({
      "dir/b.mjs": plugin(),
      "dir/a.cjs": "module.exports = { hooks: { menu_links({ rowhouse }) {} } };",
      "dir/notes.txt": "no plugin",
      "dir/b.mts": "this is the source of b.mjs",
      "dir/b.d.mts": "declare const plugin: object; export default plugin;",
      "dir/.#b.mjs": "the lock of an editor",
      "linked/package.json": { name: "linked", main: "main.mjs" },
      "linked/main.mjs": plugin(),
      "dir/pack/package.json": { name: "in-a-folder", version: "2.0.0", main: "main.js", type: "module" },
      "dir/pack/main.js": plugin(),
    });
    symlinkSync(join(place.folder, "linked"), join(place.folder, "dir/linked"));
    installed("rowhouse-plugin-by-name", {});
    installed("by-keyword", { keywords: ["rowhouse-plugin"] });
    installed("no-plugin", {});
    installed("rowhouse-plugin-transitive", {});
    installed("@me/rowhouse-plugin-scoped", { rowhouse: { plugin: "./index.js", name: "scoped" } });
    installed("rowhouse-plugin-future", { rowhouse: { apiVersion: 2 } });
    place.write({
      "package.json": {
        dependencies: { "rowhouse-plugin-by-name": "*", "by-keyword": "*", "no-plugin": "*" },
      },
    });
  });

  it("lists those of the folder and of direct dependencies, sorted", async () => {
    const { code, stdout } = await place.call(["plugins", "--plugins-dir", "dir"]);

    expect(JSON.parse(stdout)).to.deep.equal([
      { name: "a.cjs", static: false, templates: false, version: null, hooks: ["menu_links"] },
      { name: "b.mjs", static: false, templates: false, version: null, hooks: ["startup"] },
      { name: "by-keyword", static: false, templates: false, version: "1.2.3", hooks: ["startup"] },
      { name: "in-a-folder", static: false, templates: false, version: "2.0.0", hooks: ["startup"] },
      { name: "linked", static: false, templates: false, version: null, hooks: ["startup"] },
      {
        name: "rowhouse-plugin-by-name",
        static: false,
        templates: false,
        version: "1.2.3",
        hooks: ["startup"],
      },
    ]);
    expect(stdout.startsWith('[\n    {\n        "name"')).to.equal(true);
    expect(code).to.equal(0);
  });

  it("loads TypeScript of the folder, and says so if this Node cannot", async () => {
    place.write({
      "typed/hello.ts": "const hook = (): void => undefined;\nexport default { startup: hook };",
    });

    const { code, stdout, stderr } = await place.call(["plugins", "--plugins-dir", "typed", "--no-config"]);

    if (code === 0) return expect(names(stdout)).to.include("hello.ts");
    return expect(stderr).to.equal(
      `Error: Plugin hello.ts could not be loaded: TypeScript needs Node 22.18 or later, this is ${process.version}\n`,
    );
  });

  it("prints packages with --requirements, and the bundled ones with --all, as the server names them", async () => {
    const named = `export default { name: "short", version: "0.1.0", startup() {} };`;
    installed("@me/rowhouse-plugin-short", {}, named);
    place.write({ "requirements.json": { plugins: ["@me/short", "by-keyword", "./dir/b.mjs"] } });

    const [requirements, all] = await Promise.all([
      place.call(["plugins", "--requirements", "-c", "requirements.json"]),
      place.call(["plugins", "--all"]),
    ]);

    // The names of plugins could be those of other packages, which `rowhouse install -r` would install.
    expect(requirements.stdout).to.equal(
      "@me/rowhouse-plugin-short@1.2.3\nby-keyword@1.2.3\nrowhouse-plugin-by-name@1.2.3\n",
    );
    expect(names(all.stdout)).to.include.members(["by-keyword", "rowhouse.tokens", "rowhouse.permissions"]);
  });

  it("lists the hooks that setup returns with those of the definition", async () => {
    place.write({ "set-up/late.mjs": "export default { startup() {}, setup: () => ({ shutdown() {} }) };" });

    const { stdout } = await place.call(["plugins", "--plugins-dir", "set-up", "--no-config"]);

    const listed = JSON.parse(stdout) as { readonly name: string; readonly hooks: readonly string[] }[];
    expect(listed.find(({ name }) => name === "late.mjs")?.hooks).to.deep.equal(["shutdown", "startup"]);
  });

  it("takes short names, scopes, paths and refusals from the configuration", async () => {
    place.write({
      "plugins.json": {
        plugins: { "@me/scoped": { a: 1 }, "./dir/b.mjs": true, "by-name": false, "by-keyword": false },
      },
      "none.json": { autoload: false },
    });

    const [listed, none, only] = await Promise.all([
      place.call(["plugins", "-c", "plugins.json"]),
      place.call(["plugins", "-c", "none.json"]),
      place.call(["plugins", "-c", "plugins.json"], { ROWHOUSE_LOAD_PLUGINS: "by-keyword" }),
    ]);

    expect(names(listed.stdout)).to.deep.equal(["b.mjs", "scoped"]);
    expect(none.stdout).to.equal("[]\n");
    expect(names(only.stdout)).to.deep.equal(["by-keyword"]);
  });

  it("are switched off and on by settings of the command line", async () => {
    place.write({ "some.json": { plugins: { "by-name": false, "./dir/b.mjs": true }, autoload: false } });
    const all = ["--memory", "-c", "some.json", "--get", "/-/plugins.json?all=1"];

    const [switched, text] = await Promise.all([
      place.call([...all, "-s", "plugins.by-name", "true", "-s", "plugins.csv", "false"]),
      place.call([...all, "-s", "plugins.csv", "off"]),
    ]);

    expect(names(switched.stdout))
      .to.include.members(["b.mjs", "rowhouse-plugin-by-name", "rowhouse.tables"])
      .and.not.include("rowhouse.csv");
    expect(text.code).to.equal(2);
    expect(text.stderr).to.include(
      `Invalid value for '--setting': "csv" should be true, false or an object with its configuration`,
    );
  });

  it("loads once what the configuration names twice, also by its short name or its file", async () => {
    const twice = [
      "by-name",
      "by-name",
      "rowhouse-plugin-by-name",
      "./node_modules/rowhouse-plugin-by-name/index.js",
    ];
    place.write({ "twice.json": { plugins: twice, autoload: false } });

    const { stdout, stderr } = await place.call(["plugins", "-c", "twice.json"]);

    expect(stderr).to.equal("");
    expect(names(stdout)).to.deep.equal(["rowhouse-plugin-by-name"]);
  });

  it("takes the configuration of a plugin by each of the names that the configuration has for it", async () => {
    place.write({
      "named.mjs": `export default { ${route("named")} };`,
      "named.json": {
        plugins: ["./named.mjs", "././named.mjs"],
        pluginConfig: { "././named.mjs": { a: 1 } },
      },
    });

    const { stdout } = await place.call(["-c", "named.json", "--get", "/-/named"]);

    expect(JSON.parse(stdout)).to.deep.equal({ a: 1 });
  });

  const broken: Readonly<
    Record<string, readonly [files: Readonly<Record<string, string>>, wish: string, message: string]>
  > = {
    "is not there": [
      {},
      "nowhere",
      "Plugin nowhere could not be loaded: no package rowhouse-plugin-nowhere or nowhere is installed in ",
    ],
    "is an instance of a class": [
      { "instance.mjs": "class Odd { startup() {} }\nexport default new Odd();" },
      "./instance.mjs",
      "Plugin ./instance.mjs could not be loaded: instance.mjs exports an instance of a class; export default definePlugin({ name, ... })",
    ],
    "names a folder of files that is not there": [
      { "no-static.mjs": 'export default { static: new URL("missing/", import.meta.url) };' },
      "./no-static.mjs",
      "Plugin ./no-static.mjs could not be loaded: its static should be a folder that exists: /",
    ],
    "names a file instead of a folder of templates": [
      { "no-templates.mjs": "export default { templates: import.meta.url };" },
      "./no-templates.mjs",
      "Plugin ./no-templates.mjs could not be loaded: its templates should be a folder that exists: /",
    ],
    "is a file that is not there": [
      {},
      "./nowhere.mjs",
      "Plugin ./nowhere.mjs could not be loaded: Cannot find module '",
    ],
    throws: [
      { "throws.mjs": 'throw new Error("no luck");' },
      "./throws.mjs",
      "Plugin ./throws.mjs could not be loaded: no luck",
    ],
    "is no plugin": [
      { "odd.mjs": "export default 5;" },
      "./odd.mjs",
      "Plugin ./odd.mjs could not be loaded: odd.mjs should export an object of hooks as its default",
    ],
    "exports a bare function": [
      { "bare-function.cjs": "module.exports = () => ({ startup() {} });" },
      "./bare-function.cjs",
      "Plugin ./bare-function.cjs could not be loaded: bare-function.cjs exports a function as its default, which should be an object of hooks: export default definePlugin({ name, ... })",
    ],
    "exports nothing": [
      { "nothing.mjs": "export const answer = 42;" },
      "./nothing.mjs",
      "Plugin ./nothing.mjs could not be loaded: nothing.mjs has no default export; export default definePlugin({ name, ... })",
    ],
    "exports an empty object": [
      { "empty.cjs": "" },
      "./empty.cjs",
      "Plugin ./empty.cjs could not be loaded: empty.cjs exports an empty object; export default definePlugin({ name, ... })",
    ],
    "has the name of another": [
      {
        "first.mjs": "export default { name: 'twice', startup() {} };",
        "both/package.json": '{ "main": "second.mjs" }',
        "both/second.mjs": "export default { name: 'twice', startup() {} };",
      },
      "./first.mjs,./both",
      "Two plugins are named twice: ./first.mjs (first.mjs) and ./both (both/second.mjs)",
    ],
    "has the name of a bundled one": [
      { "json.mjs": "export default { name: 'json', startup() {} };" },
      "./json.mjs",
      "Two plugins are named json: the bundled plugin and ./json.mjs (json.mjs)",
    ],
    "was made for another Rowhouse": [
      {
        "peer/package.json": '{ "main": "main.mjs", "peerDependencies": { "rowhouse": "^2.0.0" } }',
        "peer/main.mjs": "throw new Error('never reached');",
      },
      "./peer",
      "Plugin ./peer could not be loaded: it was made for rowhouse ^2.0.0; this is rowhouse 0.1.0",
    ],
    "is not JavaScript": [
      { "syntax.mjs": "export default {" },
      "./syntax.mjs",
      "Plugin ./syntax.mjs could not be loaded: Unexpected end of input",
    ],
    "needs another version of the plugin API": [
      {},
      "future",
      "Plugin future could not be loaded: it was made for plugin API version 2; this is version 1",
    ],
    "imports a module that Rowhouse does not have": [
      { "module.mjs": 'import { reply } from "rowhouse/plugin-apis"; export default { name: "a" };' },
      "./module.mjs",
      "Plugin ./module.mjs could not be loaded: rowhouse/plugin-apis is no module of Rowhouse. Its modules are rowhouse, ",
    ],
    "taps an unknown hook": [
      { "wrong.mjs": plugin("strat_up") },
      "./wrong.mjs",
      "Plugin wrong.mjs taps an unknown hook: strat_up, did you mean startup?",
    ],
    "refuses to start": [
      { "refuses.mjs": 'export default { startup() { throw new Error("not today"); } };' },
      "./refuses.mjs",
      "Plugin refuses.mjs failed in startup: not today",
    ],
  };
  for (const [fault, [files, wish, message]] of Object.entries(broken)) {
    it(`stops the start in one line where one ${fault}`, async () => {
      place.write({ ...files, "broken.json": { plugins: wish.split(","), autoload: false } });

      const { code, stdout, stderr } = await place.call(["-c", "broken.json", "--get", "/"]);

      expect(stderr).to.include(`Error: ${message}`).and.not.include("/dist/");
      expect(stderr.trimEnd().split("\n")).to.have.length(1);
      expect([stdout, code]).to.deep.equal(["", 1]);
    });
  }

  it("gives up on one that never finishes loading", async () => {
    place.write({ "waits.mjs": "await new Promise(() => {}); export default {};" });
    const file = {
      shown: "waits",
      path: join(place.folder, "waits.mjs"),
      name: "waits",
      version: null,
      apiVersion: null,
      peerRange: null,
    };

    expect((await failure(importPlugin(file, 50))).message).to.equal(
      "Plugin waits could not be loaded: it had not finished loading after 0.05 seconds",
    );
  });

  it("reads a file to which their configuration refers from the folder of the configuration file", async () => {
    place.write({
      "refers/keys.mjs": `export default { ${route("keys")} };`,
      "refers/keys/key.txt": "a key\n",
      "refers/site.yaml": "plugins: {./keys.mjs: {keys: [{$file: keys/key.txt}]}}",
    });

    const { stdout } = await place.call(["-c", "refers/site.yaml", "--get", "/-/keys"]);

    expect(JSON.parse(stdout)).to.deep.equal({ keys: ["a key"] });
  });

  it("lets hooks be that others may own, and names of bundled plugins that are switched off", async () => {
    place.write({
      "optional.mjs":
        "export default { optionalHooks: ['greet'], greet() {}, render_cell() {}, name: 'csv', startup() { console.log('started'); } };",
      "optional.json": {
        plugins: {
          "./optional.mjs": true,
          csv: false,
          pages: false,
          "rowhouse.map": false,
          facts: false,
          "by-name": false,
        },
        pluginConfig: {
          "./optional.mjs": {},
          csv: {},
          pages: {},
          map: {},
          facets: {},
          "rowhouse-plugin-by-name": {},
          searhc: {},
          zzz: {},
          "rowhouse.tokens": {},
        },
        autoload: false,
      },
    });

    const { stdout, stderr, code } = await place.call(["-c", "optional.json", "--get", "/-/plugins.json"]);

    expect(stdout).to.match(/^started\n/);
    expect(stderr).to.equal(
      "Warning: The configuration switches off the plugin facts, which is not there, did you mean facets?\n" +
        "Warning: The configuration of the plugin searhc has no effect: it is not loaded, did you mean search?\n" +
        "Warning: The configuration of the plugin zzz has no effect: it is not loaded\n" +
        "Warning: The configuration of the plugin rowhouse.tokens has no effect: it is not loaded\n",
    );
    expect(stdout).to.include('"name": "csv"');
    expect(code).to.equal(0);
  });

  it("gives modules that require Rowhouse the one that is running", async () => {
    place.write({
      "common/a.cjs": `const { definePlugin, NotFound } = require("rowhouse/plugin-api");
        module.exports = definePlugin({ name: "common",
          register_routes: () => ({ name: "lost", path: "/-/lost.json", view() { throw new NotFound("Lost"); } }) });`,
      "common/b.js": 'exports.menu_links = () => ({ href: "/", label: typeof require("rowhouse").Kernel });',
    });

    const [lost, home] = await Promise.all([
      place.call(["--plugins-dir", "common", "--get", "/-/lost.json"]),
      place.call(["--plugins-dir", "common", "--get", "/"]),
    ]);

    expect(JSON.parse(lost.stdout)).to.include({ error: "Lost", status: 404 });
    expect(home.stdout).to.include(">function</a>");
  });

  it("runs a bare file of hooks, configured by its file name, in both ways of writing them", async () => {
    place.write({
      "bare.mjs": `export default { ${route("bare")} permission_allowed: (rowhouse, { action }) => action === "debug-menu" ? true : undefined };`,
      "boxed.mjs": `export default { hooks: { ${route("boxed")} permission_allowed({ rowhouse, action }) { if (action === "permissions-debug") return true; } } };`,
      "bare.json": { plugins: { "./bare.mjs": { colour: "red" }, "./boxed.mjs": { colour: "blue" } } },
    });

    const [bare, boxed] = await Promise.all([
      place.call(["-c", "bare.json", "--get", "/-/bare"]),
      place.call(["-c", "bare.json", "--get", "/-/boxed"]),
    ]);

    expect(bare.stdout).to.equal('{"colour":"red"}\n');
    expect(boxed.stdout).to.equal('{"colour":"blue"}\n');
  });
});
