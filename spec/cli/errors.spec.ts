import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { endings, launcher, workplace } from "./command.js";

describe("error messages of the command", () => {
  const place = workplace();

  before(async () => {
    await place.database("a.db");
    await place.database("read-only.db");
    chmodSync(join(place.folder, "read-only.db"), 0o444);
    place.write({
      "not-a-database.db":
        "This is text, and rather more of it than the header of a database is long. ".repeat(9),
      "bad.json": '{"title": "x",\n "license": "y",,\n}',
      "bad.yaml": "title: x\nlicense:\n  - a\n b: c\n",
      "list.json": "[1]",
      "inspect.json": "[]",
      "app/settings.json": { nope: 1 },
      "old/config.json": {},
      "ported/datasette.yaml": "allow: {id: ann}",
      "no-facets.json": { plugins: { facets: false } },
    });
  });

  const wrongUsage: Readonly<Record<string, readonly [words: readonly string[], message: string]>> = {
    "a missing immutable file": [
      ["-i", "nope.db"],
      "Invalid value for '-i' / '--immutable': Path 'nope.db' does not exist.",
    ],
    "a port out of range": [
      ["-p", "70000"],
      "Invalid value for '-p' / '--port': 70000 is not in the range 0<=x<=65535.",
    ],
    "a port that is no number": [
      ["--port=abc"],
      "Invalid value for '-p' / '--port': 'abc' is not a valid integer range.",
    ],
    "an empty host": [
      ["--host", ""],
      "Invalid value for '-h' / '--host': is empty. Use 0.0.0.0 to listen on all addresses",
    ],
    "an empty file name": [[""], "Invalid value for '[FILES]...': is empty. The current folder is ."],
    "an empty plugins folder": [
      ["--plugins-dir", ""],
      "Invalid value for '--plugins-dir': is empty. The current folder is .",
    ],
    "an unknown setting": [
      ["--setting", "nope", "1"],
      "Invalid value for '--setting': nope is not a valid option (--help-settings to see all)",
    ],
    "a misspelt setting": [
      ["--setting", "default_page_siz", "1"],
      "Invalid value for '--setting': default_page_siz is not a valid option (--help-settings to see all). Did you mean default_page_size?",
    ],
    "a setting of a plugin that is switched off": [
      ["-c", "no-facets.json", "--setting", "allow_facet", "off"],
      "Invalid value for '--setting': allow_facet belongs to the plugin facets, which is switched off",
    ],
    "letters for an integer": [
      ["--setting", "default_page_size", "ten"],
      `Invalid value for '--setting': "default_page_size" should be an integer`,
    ],
    "a negative integer": [
      ["--setting", "default_page_size", "-1"],
      `Invalid value for '--setting': "default_page_size" should be an integer`,
    ],
    "letters for a switch": [
      ["-s", "allow_facet", "maybe"],
      `Invalid value for '--setting': "allow_facet" should be on/off/true/false/1/0`,
    ],
    "a missing template folder": [
      ["--template-dir", "/nope"],
      "Invalid value for '--template-dir': Directory '/nope' does not exist.",
    ],
    "a missing plugins folder": [
      ["--plugins-dir", "/nope"],
      "Invalid value for '--plugins-dir': Directory '/nope' does not exist.",
    ],
    "a mount without a folder": [
      ["--static", "foo"],
      `Invalid value for '--static': "foo" should be of format mountpoint:directory`,
    ],
    "a mount of an empty folder": [
      ["--static", "foo:"],
      `Invalid value for '--static': "foo:" should be of format mountpoint:directory`,
    ],
    "a mount of a missing folder": [
      ["--static", "foo:/nope"],
      "Invalid value for '--static': foo:/nope is not a valid directory path",
    ],
    "missing metadata": [
      ["-m", "nope.yaml"],
      "Invalid value for '-m' / '--metadata': 'nope.yaml': No such file or directory",
    ],
    "an option without its value": [["--get"], "Option '--get' requires an argument."],
    "an option without all its values": [
      ["--setting", "default_page_size"],
      "Option '--setting' requires 2 arguments.",
    ],
    "a flag with a text": [
      ["a.db", "--default-deny=yes"],
      "Option '--default-deny' does not take a value, except true and false",
    ],
    "a short flag with a text": [
      ["a.db", "-o=1"],
      "Option '-o' does not take a value, except true and false",
    ],
    "an unknown option": [["--nope"], "No such option: --nope (Possible options: --open, --token)"],
    "a configuration that is neither file nor name:value": [
      ["--config", "x"],
      `Invalid value for '--config': "x" should be name:value`,
    ],
    "a folder beside files": [
      ["app", "a.db"],
      "Invalid value for '[FILES]...': Directory 'app' must be the only argument.",
    ],
  };
  const misuse = endings(
    place,
    mapValues(wrongUsage, ([words]) => ["serve", ...words]),
  );
  for (const [mistake, [, message]] of Object.entries(wrongUsage)) {
    it(`names ${mistake} as wrong usage, code 2`, () => {
      const { code, stdout, stderr } = misuse(mistake);

      expect(stderr).to.equal(
        `Usage: rowhouse serve [OPTIONS] [FILES]...\nTry 'rowhouse serve --help' for help.\n\nError: ${message}\n`,
      );
      expect(stdout).to.equal("");
      expect(code).to.equal(2);
    });
  }

  const failures: Readonly<Record<string, readonly [words: readonly string[], message: string | RegExp]>> = {
    "a missing file": [["nope.db"], "Invalid value for '[FILES]...': Path 'nope.db' does not exist."],
    "a file that is no database": [["not-a-database.db"], "not-a-database.db is not a database"],
    "a new file in a missing folder": [
      ["nowhere/new.db", "--create"],
      "Could not create nowhere/new.db: unable to open database file. Its folder must exist and be writable",
    ],
    "a token without --get": [["a.db", "--token", "x"], "--token can only be used with --get"],
    "an internal database that is served": [
      ["a.db", "--internal", "./a.db"],
      "a.db is the file of --internal, which contains tokens and the log of changes: it can't be served",
    ],
    "an immutable internal database": [
      ["-i", "a.db", "--internal", "a.db"],
      "a.db is the file of --internal, which contains tokens and the log of changes: it can't be served",
    ],
    "an internal database that is read-only": [
      ["a.db", "--internal", "read-only.db", "-p", "0"],
      /^Could not write to the internal database \S+read-only\.db: Database file is read-only$/,
    ],
    "a dash": [["-"], "Invalid value for '[FILES]...': Path '-' does not exist."],
    "half a key pair": [
      ["a.db", "--ssl-keyfile", "a.db"],
      "--ssl-keyfile and --ssl-certfile must be given together",
    ],
    "a key pair that is none": [
      ["a.db", "--ssl-keyfile", "bad.json", "--ssl-certfile", "bad.json"],
      /^Could not use .*bad\.json with .*bad\.json for TLS: ./,
    ],
    "metadata that is no JSON": [
      ["-m", "bad.json"],
      "Metadata is not valid JSON or YAML: bad.json, line 2, column 17: Expected double-quoted property name",
    ],
    "metadata that is no YAML": [
      ["-m", "bad.yaml"],
      /^Metadata is not valid JSON or YAML: bad\.yaml, line 4, column \d+: [A-Z].+$/,
    ],
    "metadata that is a list": [
      ["-m", "list.json"],
      "Metadata is not valid JSON or YAML: list.json should hold an object",
    ],
    "an inspect file that is none": [
      ["-i", "a.db", "--inspect-file", "inspect.json"],
      "Could not read inspect.json: it is not the output of rowhouse inspect",
    ],
    "an unknown setting of a directory": [["app"], "Invalid setting 'nope' in settings.json"],
    "a directory of an older layout": [["old"], "config.json should be renamed to settings.json"],
    "a configuration file of Datasette": [["ported"], "datasette.yaml should be renamed to rowhouse.yaml"],
    "a SQLite extension that is not there": [
      ["a.db", "--load-extension", "./nope.so"],
      /^Could not load extension \S+nope\.so: (?!SQLITE).*nope\.so/,
    ],
  };
  const failing = endings(
    place,
    mapValues(failures, ([words]) => [...words, "--port", "0"]),
  );
  for (const [mistake, [, message]] of Object.entries(failures)) {
    it(`names ${mistake} in one line, code 1`, () => {
      const { code, stdout, stderr } = failing(mistake);

      const [line = "", ...more] = stderr.trimEnd().split("\n");
      expect(line.replace(/^Error: /, "")).to.match(typeof message === "string" ? exactly(message) : message);
      expect(more).to.deep.equal([]);
      expect(stdout).to.equal("");
      expect(code).to.equal(1);
    });
  }

  it("names missing arguments and options of other commands", async () => {
    const [token, secret, install, inspect] = await Promise.all([
      place.call(["create-token", "--secret", "s"]),
      place.call(["create-token", "ann"]),
      place.call(["install"]),
      place.call(["inspect", "nope.db"]),
    ]);

    expect(token.stderr).to.match(
      /^Usage: rowhouse create-token \[OPTIONS\] ID\n.*\n\nError: Missing argument 'ID'\.\n$/,
    );
    expect(secret.stderr).to.match(
      /Error: Missing option '--secret'\. The environment variable ROWHOUSE_SECRET gives it, too\.\n$/,
    );
    expect(install.stderr).to.match(/Error: Missing argument 'PACKAGES\.\.\.'\.\n$/);
    expect(inspect.stderr).to.match(
      /Error: Invalid value for '\[FILES\]\.\.\.': Path 'nope\.db' does not exist\.\n$/,
    );
    expect([token, secret, install, inspect].map(({ code }) => code)).to.deep.equal([2, 2, 2, 2]);
  });

  it("names a new file for which the disk has no room", () => {
    // A limit of the size of files fails a write as a full disk does.
    const command = 'ulimit -f 0; exec "$0" "$1" new.db --create --get /';
    const { status, stderr } = spawnSync("sh", ["-c", command, process.execPath, launcher], {
      cwd: place.folder,
      encoding: "utf8",
    });

    expect(stderr).to.match(
      /^Error: Could not create new\.db: (?:disk I\/O error|database or disk is full)\n$/,
    );
    expect(status).to.equal(1);
    expect(existsSync(join(place.folder, "new.db"))).to.equal(false);
  });

  it("says that there are too many open files, where SQLite only can't open one", () => {
    const names = Array.from({ length: 100 }, (_, number) => `open-${number}.db`);
    for (const name of names) copyFileSync(join(place.folder, "a.db"), join(place.folder, name));
    // The start needs about 60 files at once, and the list of databases opens each one.
    const command = 'ulimit -n 80; exec "$0" "$@"';
    const words = [launcher, ...names, "--no-config", "--get", "/.json"];
    const { stderr } = spawnSync("sh", ["-c", command, process.execPath, ...words], {
      cwd: place.folder,
      encoding: "utf8",
    });

    expect(stderr).to.match(/^Database open-\d+\nDatabaseUnavailable: The server has too many open files\n/);
  });

  it("says that the limit of open files is too low to load the modules", function () {
    // Later versions load them one after the other, for which the files that Node itself needs are enough.
    if (Number.parseInt(process.versions.node, 10) >= 22) return this.skip();
    const command = 'ulimit -n 40; exec "$0" "$1" --memory --get /';
    const { status, stderr } = spawnSync("sh", ["-c", command, process.execPath, launcher], {
      encoding: "utf8",
    });

    expect(stderr).to.equal(
      "Error: The limit of open files is too low for the start: raise it (ulimit -n, LimitNOFILE of systemd)\n",
    );
    expect(status).to.equal(1);
  });

  it("names a value that is not one of the choices", async () => {
    const { code, stderr } = await place.call(["plugin", "old", "links"]);

    expect(stderr).to.match(
      /^Usage: rowhouse plugin .*\n.*\n\nError: Invalid value for 'ACTION': 'old' is not one of 'new'\.\n$/,
    );
    expect(code).to.equal(2);
  });

  it("names a removed setting as removed", async () => {
    const { code, stderr } = await place.call(["--setting", "hash_urls", "1"]);

    expect(stderr).to.include(
      "Error: Invalid value for '--setting': The hash_urls setting has been removed, ",
    );
    expect(code).to.equal(2);
  });
});

function mapValues<Value, Result>(
  object: Readonly<Record<string, Value>>,
  map: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}

const exactly = (text: string): RegExp => new RegExp(`^${text.replace(/[^\w ]/g, "\\$&")}$`);
