import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { workplace, type Workplace } from "./command.js";

const OFFLINE = { npm_config_offline: "true", npm_config_audit: "false", npm_config_fund: "false" };
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

const manifest = (name: string, more: object = {}): object => ({
  name,
  version: "1.0.0",
  type: "module",
  main: "index.js",
  peerDependencies: { rowhouse: "^0.1.0" },
  ...more,
});

/** Answers /-/hello with an error class of Rowhouse, which only the running one's kernel understands. */
const HELLO = `import { definePlugin, NotFound } from "rowhouse/plugin-api";
export default definePlugin({ name: "hello", register_routes: () => [{ name: "hello", path: /^\\/-\\/hello$/,
  target: "instance", view: () => { throw new NotFound("hello from a plugin"); } }] });`;

const json = (place: Workplace, file: string): Record<string, Record<string, string>> =>
  JSON.parse(readFileSync(join(place.folder, file), "utf8")) as Record<string, Record<string, string>>;

const listed = async (place: Workplace): Promise<readonly string[]> =>
  (JSON.parse((await place.run(["plugins"])).stdout) as readonly { readonly name: string }[]).map(
    ({ name }) => name,
  );

describe("installing plugins", function () {
  this.timeout(300_000);
  const source = workplace();
  const tarball = (name: string): string => join(source.folder, `${name}-1.0.0.tgz`);

  before(() => {
    source.write({
      "hello/package.json": manifest("rowhouse-plugin-hello"),
      "hello/index.js": HELLO,
      "keyword/package.json": manifest("by-keyword", { keywords: ["rowhouse-plugin"] }),
      "keyword/index.js": "export default { name: 'keyword', startup() {}, setup() {} };",
      "library/package.json": manifest("no-plugin"),
      "library/index.js": "export default 5;",
      "future/package.json": manifest("rowhouse-plugin-future", {
        peerDependencies: {},
        rowhouse: { apiVersion: 2 },
      }),
      "future/index.js": "throw new Error('never reached');",
    });
    for (const name of ["hello", "keyword", "library", "future"])
      execFileSync("npm", ["pack", "--silent", `./${name}`], {
        cwd: source.folder,
        env: { ...process.env, ...OFFLINE },
      });
  });

  describe("in an empty folder", () => {
    const place = workplace();

    it("makes it a project that holds the plugin of a tarball, linked to this very Rowhouse", async () => {
      const { code, stderr } = await place.run(["install", tarball("rowhouse-plugin-hello")], OFFLINE);

      expect(stderr).to.include("package.json, which will name your plugins");
      expect(stderr).to.include("Installed rowhouse-plugin-hello 1.0.0: register_routes");
      expect(code).to.equal(0);
      expect(Object.keys(json(place, "package.json")["dependencies"] ?? {})).to.deep.equal([
        "rowhouse",
        "rowhouse-plugin-hello",
      ]);
      expect(realpathSync(join(place.folder, "node_modules/rowhouse"))).to.equal(realpathSync(ROOT));
    });

    it("runs it from then on", async () => {
      const { stdout } = await place.run(["--get", "/-/hello"]);

      expect(stdout).to.include("hello from a plugin");
      expect(stdout).to.include("<h1>Not found</h1>");
      expect(await listed(place)).to.deep.equal(["hello"]);
    });

    it("takes it out again", async () => {
      const unasked = await place.run(["uninstall", "rowhouse-plugin-hello"], OFFLINE);
      const { code } = await place.run(["uninstall", "-y", "rowhouse-plugin-hello"], OFFLINE);
      const again = await place.run(["uninstall", "-y", "rowhouse-plugin-hello"], OFFLINE);

      expect([unasked.stderr, unasked.code]).to.deep.equal([
        "Error: Give --yes to uninstall without a confirmation\n",
        1,
      ]);
      expect(code).to.equal(0);
      expect(await listed(place)).to.deep.equal([]);
      expect(again.stderr).to.match(/^Error: rowhouse-plugin-hello is not installed in /);
      expect(again.code).to.equal(1);
    });
  });

  describe("in a project", () => {
    const place = workplace();

    before(() => place.write({ "package.json": { name: "mine", version: "1.0.0", private: true } }));

    it("adds folders and tarballs by path, several at once, and rejects packages that are no plugins", async () => {
      const { code, stderr } = await place.run(
        ["install", "-U", join(source.folder, "keyword"), tarball("no-plugin")],
        OFFLINE,
      );

      expect(stderr).to.include("Installed by-keyword 1.0.0: startup, hooks of its setup");
      expect(stderr).to.include("Warning: no-plugin does not say that it is a Rowhouse plugin");
      expect(code).to.equal(0);
      expect(json(place, "package.json")).to.include({ name: "mine" });
      expect(await listed(place)).to.deep.equal(["keyword"]);
    });

    it("links a folder that is being worked on, so that its changes count", async () => {
      await place.run(["install", "-e", join(source.folder, "hello")], OFFLINE);
      source.write({ "hello/index.js": HELLO.replace("hello from a plugin", "changed meanwhile") });

      expect((await place.run(["--get", "/-/hello"])).stdout).to.include("changed meanwhile");
    });

    it("reports a plugin that the next start would refuse, and the command that removes it", async () => {
      const { code, stderr } = await place.run(["install", tarball("rowhouse-plugin-future")], OFFLINE);

      expect(stderr).to.include(
        "Error: Plugin rowhouse-plugin-future could not be loaded: it was made for plugin API version 2; this is version 1\n" +
          "To take it out again: rowhouse uninstall rowhouse-plugin-future\n",
      );
      expect(code).to.equal(1);
      await place.run(["uninstall", "-y", "rowhouse-plugin-future"], OFFLINE);
    });

    it("prints the name to add if the configuration has a list of plugins", async () => {
      place.write({ ".rowhouserc.json": { autoload: false, plugins: ["./mine.mjs"] } });

      const { stderr } = await place.run(["install", tarball("rowhouse-plugin-hello")], OFFLINE);

      expect(stderr).to.match(/Add it to "plugins" in .*\.rowhouserc\.json: rowhouse-plugin-hello\n$/);
    });
  });

  describe("requirements files and folders", () => {
    const place = workplace();

    before(() => place.write({ "empty/readme.txt": "no package", "notes.txt": "no folder" }));

    /** Nothing but names, each with a version, a range or a tag where wanted. */
    const refusedLines = [
      "--global",
      "-g",
      "--registry=http://127.0.0.1:9/",
      "-e ../hello",
      "me/plugin",
      "github:me/plugin",
      "https://example.com/plugin.tgz",
      "git+ssh://git@example.com/plugin.git",
      "./plugin",
      "../plugin",
      "/plugin",
      "~/plugin",
      "plugin.tgz",
      "plugin@file:../plugin",
      "plugin@npm:other",
      "plugin@./folder",
      "plugin@me/plugin",
      "plugin@1.0.0.tgz",
      "plugin --global",
      "@scope",
      "@scope/",
      "_plugin",
      "node_modules",
      "plugin@",
    ];
    for (const line of refusedLines) {
      it(`refuses the line ${JSON.stringify(line)} before npm is run`, async () => {
        place.write({ "names.txt": `# Plugins\n\nrowhouse-plugin-hello\n  ${line}  # why\n` });

        const { code, stdout, stderr } = await place.call(["install", "-r", "names.txt"], OFFLINE);

        expect(stderr).to.equal(
          "Usage: rowhouse install [OPTIONS] [PACKAGES]...\nTry 'rowhouse install --help' for help.\n\n" +
            `Error: Invalid value for '-r' / '--requirement': names.txt, line 4: '${line}' is not a package name, with or without a version (name@1.0.0)\n`,
        );
        expect(stdout).to.equal("");
        expect(code).to.equal(2);
        expect(existsSync(join(place.folder, "package.json"))).to.equal(false);
      });
    }

    const refusedFolders = {
      "-e=--global": "Directory '--global' does not exist.",
      "-e=-g": "Directory '-g' does not exist.",
      "-e=me/plugin": "Directory 'me/plugin' does not exist.",
      "-e=github:me/plugin": "Directory 'github:me/plugin' does not exist.",
      "-e=notes.txt": "Directory 'notes.txt' is a file.",
      "-e=empty": "Directory 'empty' has no package.json.",
    };
    for (const [word, reason] of Object.entries(refusedFolders)) {
      it(`refuses ${word} before npm is run`, async () => {
        const { code, stderr } = await place.call(["install", word], OFFLINE);

        expect(stderr).to.match(/\nError: Invalid value for '-e' \/ '--editable': /);
        expect(stderr.trimEnd().endsWith(`: ${reason}`), stderr).to.equal(true);
        expect(stderr).not.to.include("npm ");
        expect(code).to.equal(2);
        expect(existsSync(join(place.folder, "package.json"))).to.equal(false);
      });
    }

    it("refuses a word that is a folder, and a repository for npm", async () => {
      const { code, stderr } = await place.call(["install", "me/plugin"], OFFLINE);

      expect(stderr).to.match(
        /\nError: Invalid value for 'PACKAGES\.\.\.': me\/plugin is not a package name: write \.\/me\/plugin for a folder, github:me\/plugin for a repository\n$/,
      );
      expect(code).to.equal(2);
    });

    it("names a requirements file that is not there", async () => {
      const { code, stderr } = await place.call(["install", "-r", "nope.txt"], OFFLINE);

      expect(stderr).to.equal("Error: Could not read nope.txt: No such file or directory\n");
      expect(code).to.equal(1);
    });

    it("keeps every word after the options of npm from being one", async () => {
      place.write({ "names.txt": "rowhouse-plugin-absent@^1.0.0 || >=3 <4\r\n@me/absent\nabsent@next\n" });

      const { stderr } = await place.run(["install", "-r", "names.txt"], OFFLINE);

      expect(stderr).to.include(
        `npm install -- rowhouse-plugin-absent@^1.0.0 || >=3 <4 @me/absent absent@next (in ${realpathSync(place.folder)})`,
      );
    });

    it("links a folder from where the command runs, whatever its name begins with", async () => {
      place.write({
        "package.json": { private: true },
        "sub/--hello/package.json": manifest("rowhouse-plugin-dashed"),
        "sub/--hello/index.js": "export default { name: 'dashed', startup() {} };",
      });
      const { code, stderr } = await place.run(["install", "-e=sub/--hello"], OFFLINE);

      expect(stderr).to.include("Installed rowhouse-plugin-dashed 1.0.0: startup");
      expect(code).to.equal(0);
    });
  });

  describe("what is not there", () => {
    const place = workplace();

    it("is refused before npm is run, or with npm's own exit code", async () => {
      const path = await place.call(["install", "./nowhere.tgz"], OFFLINE);
      const option = await place.call(["install", "--", "--force"], OFFLINE);
      const nothing = await place.call(["install"], OFFLINE);
      const untouched = existsSync(join(place.folder, "package.json"));
      const unknown = await place.run(["install", "rowhouse-plugin-nobody-made"], OFFLINE);

      expect(path.stderr).to.include("Invalid value for 'PACKAGES...': Path './nowhere.tgz' does not exist.");
      expect(option.stderr).to.include("Invalid value for 'PACKAGES...': --force is not a package");
      expect(nothing.stderr).to.include("Missing argument 'PACKAGES...'.");
      expect([path.code, option.code, nothing.code]).to.deep.equal([2, 2, 2]);
      expect(untouched).to.equal(false);
      expect(unknown.stderr).to.include("npm error code ENOTCACHED");
      expect(unknown.code).to.equal(1);
    });
  });
});
