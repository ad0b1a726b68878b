import { join } from "node:path";
import { expect } from "chai";
import { findConfigFile } from "../../cli/configuration/find-config-file.js";
import { workplace } from "./command.js";

const SETTINGS = ["--get", "/-/settings.json"];

describe("the configuration file", () => {
  const place = workplace();

  before(async () => {
    await place.database("a.db");
    await place.database("conf/b.db");
  });

  const shapes: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    "package.json": { "package.json": { name: "x", rowhouse: { settings: { max_returned_rows: 7 } } } },
    ".rowhouserc in YAML": { ".rowhouserc": "settings:\n  max_returned_rows: 7\n" },
    ".rowhouserc.json": { ".rowhouserc.json": { settings: { max_returned_rows: 7 } } },
    "rowhouse.config.mjs": {
      "rowhouse.config.mjs": "export default { settings: { max_returned_rows: 7 } };",
    },
    "rowhouse.config.cjs": {
      "rowhouse.config.cjs":
        'module.exports = require("rowhouse/config").defineConfig({ settings: { max_returned_rows: 7 } });',
    },
    ".config/rowhouserc.yaml": { ".config/rowhouserc.yaml": "settings: { max_returned_rows: 7 }" },
  };
  for (const [name, files] of Object.entries(shapes)) {
    describe(name, () => {
      const project = workplace();

      it("is found in the current folder", async () => {
        project.write(files);

        const found = await findConfigFile(project.folder, undefined);

        expect(found?.content).to.deep.equal({ settings: { max_returned_rows: 7 } });
      });
    });
  }

  describe("package.json of a plugin", () => {
    const project = workplace();

    it("is passed over: its key rowhouse is about the plugin", async () => {
      project.write({
        "package.json": { name: "rowhouse-plugin-x", rowhouse: { plugin: "./x.js", apiVersion: 1 } },
        ".rowhouserc.json": { settings: { max_returned_rows: 7 } },
      });

      const found = await findConfigFile(project.folder, undefined);

      expect(found?.content).to.deep.equal({ settings: { max_returned_rows: 7 } });
    });
  });

  it("is named by -c, ignored with --no-config, and weaker than flags", async () => {
    place.write({ "conf/other.yaml": "settings:\n  max_returned_rows: 8\n  default_page_size: 3\n" });

    const [named, flagged, none] = await Promise.all([
      place.call(["-c", "conf/other.yaml", ...SETTINGS]),
      place.call(["-c", "conf/other.yaml", "--setting", "default_page_size", "4", ...SETTINGS]),
      place.call(["-c", "conf/other.yaml", "--no-config", ...SETTINGS]),
    ]);

    expect(JSON.parse(named.stdout)).to.include({ max_returned_rows: 8, default_page_size: 3 });
    expect(JSON.parse(flagged.stdout)).to.include({ max_returned_rows: 8, default_page_size: 4 });
    expect(JSON.parse(none.stdout)).to.include({ max_returned_rows: 1000, default_page_size: 100 });
  });

  it("may be a setting in the form of old scripts, with a warning that contains the new form", async () => {
    const { stdout, stderr } = await place.call(["--config", "default_page_size:5", ...SETTINGS]);

    expect(JSON.parse(stdout)).to.include({ default_page_size: 5 });
    expect(stderr).to.equal(
      "--config name:value will be deprecated in Rowhouse 1.0, use --setting name value instead\n",
    );
  });

  it("counts its paths from where it lies", async () => {
    place.write({
      "conf/paths.json": {
        files: ["b.db"],
        metadata: "about.yaml",
        static: ["files:assets"],
        templateDir: "assets",
      },
      "conf/about.yaml": "title: From a file",
      "conf/assets/hello.txt": "hello",
    });

    const [databases, metadata, file] = await Promise.all([
      place.call(["-c", "conf/paths.json", "--get", "/-/databases.json"]),
      place.call(["-c", "conf/paths.json", "--get", "/-/metadata.json"]),
      place.call(["-c", "conf/paths.json", "--get", "/files/hello.txt"]),
    ]);

    expect(JSON.parse(databases.stdout)).to.have.nested.property("[0].name", "b");
    expect(JSON.parse(metadata.stdout)).to.deep.equal({ title: "From a file" });
    expect(file.stdout).to.equal("hello\n");
  });

  it("may hold parts of the metadata, which are merged over it", async () => {
    place.write({
      "conf/merged.json": {
        files: ["b.db"],
        metadata: { title: "Below", databases: { b: { source: "here" } } },
        databases: { b: { permissions: { "insert-row": { id: "editor" } } } },
      },
    });

    const { stdout } = await place.call([
      "-c",
      "conf/merged.json",
      "--setting",
      "databases.b.allow_sql",
      "false",
      "--get",
      "/-/metadata.json",
    ]);

    expect(JSON.parse(stdout)).to.deep.equal({
      title: "Below",
      databases: { b: { source: "here", permissions: { "insert-row": { id: "editor" } }, allow_sql: false } },
    });
  });

  it("causes a warning for an unknown key, with the nearest known one", async () => {
    place.write({ "conf/typo.json": { setings: {}, settings: { base_url: "/x/" } } });

    const { code, stderr } = await place.call(["-c", "conf/typo.json", ...SETTINGS]);

    expect(stderr).to.equal("Warning: Unknown key 'setings' in typo.json, did you mean 'settings'?\n");
    expect(code).to.equal(0);
  });

  it("says where a setting belongs that is written at the top", async () => {
    place.write({ "conf/top.json": { base_url: "/x/" } });

    const { stderr } = await place.call(["-c", "conf/top.json", ...SETTINGS]);

    expect(stderr).to.equal(
      "Warning: Unknown key 'base_url' in top.json, did you mean 'settings.base_url'?\n",
    );
  });

  it("is refused with the messages of --setting where a setting is wrong", async () => {
    place.write({
      "conf/unknown.json": { settings: { nope: 1 } },
      "conf/type.json": { settings: { default_page_size: "ten" } },
      "conf/broken.json": '{"settings": ',
    });

    const [unknown, type, broken] = await Promise.all(
      ["unknown", "type", "broken"].map((name) => place.call(["-c", `conf/${name}.json`, ...SETTINGS])),
    );

    expect(unknown?.stderr).to.include("nope is not a valid option (--help-settings to see all)");
    expect(type?.stderr).to.include('"default_page_size" should be an integer');
    expect(broken?.stderr).to.match(/^Error: Could not read conf\/broken\.json: .+\n$/);
    expect([unknown?.code, type?.code, broken?.code]).to.deep.equal([2, 2, 1]);
  });

  it("is refused where plugins are neither names nor configuration, such as the text that YAML makes of off", async () => {
    place.write({
      "conf/off.yaml": "plugins: {csv: off}",
      "conf/number.yaml": "plugins: 5",
      "conf/empty.yaml": "plugins: {csv: }",
    });

    const [off, number, empty] = await Promise.all(
      ["off", "number", "empty"].map((name) => place.call(["-c", `conf/${name}.yaml`, ...SETTINGS])),
    );

    expect(off?.stderr).to.include(
      `Invalid value for 'plugins' in off.yaml: "csv" should be true, false or an object with its configuration`,
    );
    expect(number?.stderr).to.include(
      "Invalid value for 'plugins' in number.yaml: should be a list of names, or an object with the configuration of each plugin",
    );
    expect([off?.code, number?.code, empty?.code]).to.deep.equal([2, 2, 0]);
  });

  it("names the mistake in a file that can't be read", async () => {
    const mistakes = [
      ["broken.json", '{\n  "port": 1,\n}', /line 3, column 1: Expected double-quoted property name/],
      ["broken.yaml", "port: [\n", /\(2:1\)/],
      ["broken.mjs", "export default {", /Unexpected end of input \(conf\/broken\.mjs:1\)/],
      ["broken.cjs", "\nmodule.exports = nope;", /nope is not defined \(conf\/broken\.cjs:2\)/],
      ["throws.mjs", "\n\nthrow new Error('no such host');", /no such host \(conf\/throws\.mjs:3\)/],
      [
        "named.mjs",
        "export const settings = {};",
        /it has no default export: write `export default \{ \.\.\. \}`/,
      ],
      ["site.toml", "port = 1", /its name should end with \.json, \.yaml, \.yml, \.js, \.mjs, \.cjs or \.ts/],
    ] as const;
    place.write(Object.fromEntries(mistakes.map(([name, content]) => [`conf/${name}`, content])));

    const runs = await Promise.all(mistakes.map(([name]) => place.call(["-c", `conf/${name}`, ...SETTINGS])));

    for (const [index, [name, , mistake]] of mistakes.entries()) {
      expect(runs[index]?.stderr).to.match(new RegExp(`^Error: Could not read conf/${name}: .+\n$`));
      expect(runs[index]?.stderr).to.match(mistake);
      expect(runs[index]?.code).to.equal(1);
    }
  });

  it("names the line of a mistake in package.json", async () => {
    place.write({ "project/package.json": '{\n  "name": "x",\n}', "project/site.yaml": "" });

    const { code, stderr } = await place.call(["project", ...SETTINGS]);

    expect(stderr).to.equal(
      `Error: Could not read ${join(place.folder, "project/package.json")}: line 3, column 1: Expected double-quoted property name\n`,
    );
    expect(code).to.equal(1);
  });

  it("names the key of package.json that is not an object", async () => {
    place.write({ "keyed/package.json": { rowhouse: "site.db" }, "keyed/site.yaml": "" });

    const { code, stderr } = await place.call(["keyed", ...SETTINGS]);

    expect(stderr).to.equal('Error: The key "rowhouse" of package.json should hold an object\n');
    expect(code).to.equal(1);
  });

  it("takes its secret from the environment or a file", async () => {
    place.write({
      "conf/env.json": { secret: { $env: "MY_SECRET" } },
      "conf/file.json": { secret: { $file: "secret.txt" } },
      "conf/secret.txt": "from a file\n",
    });

    const tokens = await Promise.all([
      place.call(["create-token", "ann", "-c", "conf/env.json"], { MY_SECRET: "from a file" }),
      place.call(["create-token", "ann", "-c", "conf/file.json"]),
      place.call(["create-token", "ann"], { ROWHOUSE_SECRET: "from a file" }),
    ]);
    const actors = await Promise.all(
      tokens.map(({ stdout }) =>
        place.call(["--get", "/-/actor.json", "--secret", "from a file", "--token", stdout.trim()]),
      ),
    );

    for (const { stdout } of actors) expect(JSON.parse(stdout)).to.have.nested.property("actor.id", "ann");
  });

  it("is weaker than the environment", async () => {
    place.write({ "conf/weak.json": { secret: "of the file, which is long enough for everybody" } });
    const token = await place.call(["create-token", "ann", "--secret", "of the environment"]);

    const actor = await place.call(
      ["-c", "conf/weak.json", "--get", "/-/actor.json", "--token", token.stdout.trim()],
      { ROWHOUSE_SECRET: "of the environment" },
    );

    expect(JSON.parse(actor.stdout)).to.have.nested.property("actor.id", "ann");
  });
});
