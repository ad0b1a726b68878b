import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { workplace } from "./command.js";

const launcher = fileURLToPath(new URL("../../cli/rowhouse.cjs", import.meta.url));
const has = (program: string): boolean => spawnSync("which", [program]).status === 0;

/** What the command says about a missing file where standard error is a terminal. */
const onTerminal = (environment: Readonly<Record<string, string>>, words = "nope.db"): string =>
  spawnSync("script", ["-qec", `${process.execPath} ${launcher} ${words}`, "/dev/null"], {
    env: { PATH: process.env["PATH"], TERM: "xterm", ...environment },
    encoding: "utf8",
    input: "",
  }).stdout;

describe("-h", () => {
  const place = workplace();

  it("prints the help of commands that have no host", async () => {
    for (const words of [["inspect"], ["backup"], ["publish"], ["publish", "heroku"], ["create-token"]]) {
      const [short, long] = await Promise.all([
        place.call([...words, "-h"]),
        place.call([...words, "--help"]),
      ]);

      expect(short, words.join(" ")).to.deep.equal(long);
      expect(short.stdout, words.join(" ")).to.match(/^Usage: rowhouse /);
      expect(short.code).to.equal(0);
    }
  });

  it("is the host of serve", async () => {
    const { code, stdout } = await place.call(["serve", "-h", "127.0.0.1", "--get", "/-/actor.json"]);

    expect([stdout, code]).to.deep.equal(['{"actor": null}\n', 0]);
  });
});

describe("a reader that closes the pipe early", () => {
  for (const option of ["--version", "--help-settings"]) {
    it(`is no error of ${option}`, () => {
      const pipe = `"$0" "$1" ${option} | true`;

      const { stderr } = spawnSync("sh", ["-c", pipe, process.execPath, launcher], { encoding: "utf8" });

      expect(stderr).to.equal("");
    });
  }
});

describe("misspelt commands", () => {
  const place = workplace();

  for (const [written, meant] of Object.entries({
    isntall: "install",
    "plugin-s": "plugins",
    creat_token: "create-token",
    pulbish: "publish",
  })) {
    it(`suggests the command ${meant} for ${written}`, async () => {
      const { code, stdout, stderr } = await place.call([written, "--secret", "s"]);

      expect(stderr).to.equal(
        `Error: Invalid value for '[FILES]...': Path '${written}' does not exist. Did you mean the command ${meant}?\n`,
      );
      expect(stdout).to.equal("");
      expect(code).to.equal(1);
    });
  }

  it("does so for wrong usage too", async () => {
    const { code, stderr } = await place.call(["isntall", "-U", "x"]);

    expect(stderr).to.match(/\nError: No such option: -U Did you mean the command install\?\n$/);
    expect(code).to.equal(2);
  });

  it("takes a file for a file, whatever it is called", async () => {
    await place.database("instal");

    const { stdout, code } = await place.call([
      "instal",
      "--get",
      "/instal.json?_shape=array&sql=select+1+as+n",
    ]);

    expect([JSON.parse(stdout), code]).to.deep.equal([[{ n: 1 }], 0]);
  });

  it("suggests nothing where nothing is near", async () => {
    expect((await place.call(["xyzzy"])).stderr).to.equal(
      "Error: Invalid value for '[FILES]...': Path 'xyzzy' does not exist.\n",
    );
  });
});

describe("rowhouse -V", () => {
  const place = workplace();

  it("prints the version like --version", async () => {
    const [short, long] = await Promise.all([place.call(["-V"]), place.call(["--version"])]);

    expect(short.stdout).to.match(/^rowhouse, version \d+\.\d+\.\d+\n$/);
    expect(short).to.deep.equal(long);
    expect(short.code).to.equal(0);
  });
});

describe("rowhouse completion", () => {
  const place = workplace();
  const suggestions = async (...words: readonly string[]): Promise<readonly string[]> =>
    (await place.call(["--get-yargs-completions", "rowhouse", ...words])).stdout.trim().split("\n");

  it("prints a script that a shell can read", async () => {
    const bash = await place.call(["completion"], { SHELL: "/bin/bash" });
    const zsh = await place.call(["completion"], { SHELL: "/bin/zsh" });

    expect(bash.stdout).to.include("complete ").and.include("rowhouse --get-yargs-completions");
    expect(zsh.stdout).to.include("#compdef rowhouse");
    expect([bash.stderr, bash.code, zsh.stderr, zsh.code]).to.deep.equal(["", 0, "", 0]);
    execFileSync("bash", ["-n"], { input: bash.stdout });
  });

  // The shell chooses those that begin as the typed word does.
  it("completes commands, those of plugins included", async () => {
    expect(await suggestions("")).to.include.members(["serve", "install", "create-token", "publish"]);
  });

  it("completes options of a command", async () => {
    expect(await suggestions("serve", "--po")).to.include.members(["--port", "--load-extension"]);
    expect(await suggestions("create-token", "--expires"))
      .to.include("--expires-after")
      .and.not.include("--port");
  });

  it("leaves file names to the shell", async () => {
    const { stdout, stderr, code } = await place.call(["--get-yargs-completions", "rowhouse", "serve", "a"]);

    expect([stdout.trim(), stderr, code]).to.deep.equal(["", "", 0]);
  });
});

describe("variables of the environment", () => {
  const place = workplace();

  it("are named beside the option in messages", async () => {
    const [missing, key] = await Promise.all([
      place.call(["create-token", "ann"]),
      place.call(["--get", "/"], { ROWHOUSE_SSL_KEYFILE: "nope.pem" }),
    ]);

    expect(missing.stderr).to.match(
      /Error: Missing option '--secret'\. The environment variable ROWHOUSE_SECRET gives it, too\.\n$/,
    );
    expect(key.stderr).to.match(
      /Error: Invalid value for '--ssl-keyfile' \(environment variable ROWHOUSE_SSL_KEYFILE\): 'nope\.pem': No such file or directory\n$/,
    );
    expect([missing.code, key.code]).to.deep.equal([2, 2]);
  });

  it("are named beside the option in the help", async () => {
    const { stdout } = await place.call(["serve", "--help"]);
    const help = stdout.replace(/\s+/g, " ");

    for (const name of ["SECRET", "LOAD_EXTENSION", "SSL_KEYFILE", "SSL_CERTFILE"])
      expect(help).to.include(`[env: ROWHOUSE_${name}]`);
  });
});

describe("colours", () => {
  const place = workplace();
  const RED = "\u001b[31mError:\u001b[39m ";

  it("are left out where there is no terminal", async () => {
    expect((await place.call(["nope.db"])).stderr).to.match(/^Error: /);
  });

  it("mark errors on a terminal, and not with NO_COLOR", function () {
    // util-linux's script runs a command on a terminal of its own.
    if (!has("script")) return this.skip();
    expect(onTerminal({})).to.include(`${RED}Invalid value`);
    expect(onTerminal({ NO_COLOR: "1" }))
      .to.include("Error: Invalid value")
      .and.not.include("\u001b[");
    expect(onTerminal({ TERM: "dumb" }))
      .to.include("Error: Invalid value")
      .and.not.include("\u001b[");
  });

  it("mark warnings of create-token on a terminal, and not with NO_COLOR", function () {
    if (!has("script")) return this.skip();
    const words = "create-token ann -a nope --secret only-for-this-spec-and-long-enough-for-it";

    expect(onTerminal({}, words)).to.include("\u001b[31m  Unknown permission: nope");
    expect(onTerminal({ NO_COLOR: "1" }, words))
      .to.include("  Unknown permission: nope")
      .and.not.include("\u001b[");
  });
});

describe("a plugin that can't be loaded", () => {
  const place = workplace();
  const mistakes: Readonly<
    Record<string, readonly [files: Readonly<Record<string, string>>, message: string]>
  > = {
    "a syntax error of a module": [
      { "a/esm.mjs": "export default {\n  startup() {\n    const a = ;\n  },\n};" },
      "Plugin esm.mjs could not be loaded: Unexpected token ';' (a/esm.mjs:3)",
    ],
    "a syntax error of a module whose package is not one of modules": [
      { "f/plain.js": "const one = 1;\nexport default { name: 'plain', ;\n" },
      "Plugin plain.js could not be loaded: Unexpected token ';' (f/plain.js:2)",
    ],
    "a syntax error of a module that it imports": [
      {
        "b/outer.mjs": 'import { x } from "./inner/x.mjs";\nexport default { startup: x };',
        "b/inner/x.mjs": "\n\n\nlet a b;",
      },
      "Plugin outer.mjs could not be loaded: Unexpected identifier 'b' (b/inner/x.mjs:4)",
    ],
    "a syntax error of CommonJS": [
      { "c/common.cjs": "module.exports = {\n  startup() { a b }\n};" },
      "Plugin common.cjs could not be loaded: Unexpected identifier 'b' (c/common.cjs:2)",
    ],
    "a name that a module does not export": [
      { "d/names.mjs": '\nimport { nope } from "node:fs";\nexport default { startup: nope };' },
      "Plugin names.mjs could not be loaded: The requested module 'node:fs' does not provide an export named 'nope' (d/names.mjs:2)",
    ],
    "an error that it throws": [
      { "e/thrown.mjs": "const settings = undefined;\n\nsettings.name;\nexport default {};" },
      "Plugin thrown.mjs could not be loaded: Cannot read properties of undefined (reading 'name') (e/thrown.mjs:3)",
    ],
  };
  for (const [mistake, [files, message]] of Object.entries(mistakes)) {
    it(`names file and line of ${mistake}`, async () => {
      place.write(files);
      const [folder = ""] = Object.keys(files).map((path) => path.split("/")[0] ?? "");

      const { stderr, code } = await place.call(["--plugins-dir", folder, "--get", "/"]);

      expect(stderr).to.match(/^Error: Plugin \S+ could not be loaded: /);
      expect(stderr.replace(/Plugin \S*\//, "Plugin ")).to.equal(`Error: ${message}\n`);
      expect(code).to.equal(1);
    });
  }

  it("may be TypeScript if Node reads it; otherwise the error names what is needed", async () => {
    place.write({
      "typed.ts": "const name: string = 'typed';\nexport default { name, startup() {} };",
      "typed.yaml": "plugins: [./typed.ts]",
    });

    const { stdout, stderr } = await place.call(["plugins", "-c", "typed.yaml"]);

    const { typescript } = process.features as { readonly typescript?: unknown };
    if (typescript) return expect(stdout).to.include('"name": "typed"');
    return expect(stderr).to.equal(
      `Error: Plugin ./typed.ts could not be loaded: TypeScript needs Node 22.18 or later, this is ${process.version}\n`,
    );
  });
});
