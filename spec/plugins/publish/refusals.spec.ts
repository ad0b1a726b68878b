import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { endings, workplace } from "../../cli/command.js";

describe("rowhouse package and publish refuse", () => {
  const place = workplace();
  const usage = [
    ["Missing argument 'FILES...'.", "package"],
    ["Invalid value for '[FILES]...': Path 'nope.db' does not exist.", "package nope.db"],
    ["Invalid value for '[FILES]...': Path 'nope.db' does not exist.", "publish heroku nope.db"],
    ["Invalid value for '-p' / '--port': 0 is not in the range 1<=x<=65535.", "package data.db --port 0"],
    ["Invalid value for '-p' / '--port': 'abc' is not a valid integer range.", "package data.db -p abc"],
    [
      "Invalid value for '-m' / '--metadata': 'nope.yaml': No such file or directory",
      "package data.db -m nope.yaml",
    ],
    [
      "Invalid value for '--template-dir': Directory '/nope' does not exist.",
      "package data.db --template-dir /nope",
    ],
    [
      "Invalid value for '--template-dir': Directory 'file.txt' is a file.",
      "package data.db --template-dir file.txt",
    ],
    [
      `Invalid value for '--static': "foo" should be of format mountpoint:directory`,
      "package data.db --static foo",
    ],
    [
      "Invalid value for '--static': foo:/nope is not a valid directory path",
      "package data.db --static foo:/nope",
    ],
    [
      "Invalid value for '--install': ./x should be NAME, NAME@VERSION or NAME@file:PACKAGE.tgz",
      "package data.db --install ./x",
    ],
    [
      "Invalid value for '--install': file:nope.tgz is not a package made by npm pack",
      "package data.db --install x@file:nope.tgz",
    ],
    [
      "Invalid value for '--branch': this Rowhouse does not say where its repository is; give the address, as github:OWNER/rowhouse#next",
      "package data.db --branch next",
    ],
    ["No such option: --tga (Possible options: --static, --tag)", "package data.db --tga x"],
    ["No such option: --tag (Possible options: --static, --tar)", "publish heroku data.db --tag x"],
    ["No such command 'cloudrn'. (Possible commands: cloudrun)", "publish cloudrn data.db"],
    ["No such command 'mars'. (Possible commands: cloudrun, heroku)", "publish mars"],
    ["Option '--plugin-secret' requires 3 arguments.", "publish heroku data.db --plugin-secret name setting"],
    [
      "Invalid value for '--plugin-secret': --plugin-secret cannot contain single quotes",
      "publish heroku data.db --plugin-secret name setting it's",
    ],
    [
      "Invalid value for '--plugin-secret': A_B_C would have two values",
      "publish heroku data.db --plugin-secret a-b c x --plugin-secret a b-c y",
    ],
    [
      "Invalid value for '--plugin-secret': ROWHOUSE_SECRET would have two values",
      "publish heroku data.db --plugin-secret rowhouse secret x",
    ],
    ["Missing option '--service'.", "publish cloudrun data.db"],
    [
      "Invalid value for '--service': should be small letters, digits and hyphens, beginning with a letter",
      "publish cloudrun data.db --service=-x",
    ],
    [
      "Invalid value for '--memory': --memory should be a number then Gi/G/Mi/M e.g 1Gi",
      "publish cloudrun data.db --service x --memory 1",
    ],
    [
      "Invalid value for '--cpu': '3' is not one of '1', '2', '4'.",
      "publish cloudrun data.db --service x --cpu 3",
    ],
    [
      "Invalid value for '--max-instances': 0 is not in the range x>=1.",
      "publish cloudrun data.db --service x --max-instances 0",
    ],
    [
      "Invalid value for '--apt-get-install': a;b is no package",
      "publish cloudrun data.db --service x --apt-get-install a;b",
    ],
    [
      "Invalid value for '-n' / '--name': should be small letters, digits and hyphens, beginning with a letter",
      "publish heroku data.db -n ../x",
    ],
  ] as const;
  const failures = [
    ['The package command requires "docker" to be installed and configured', "package data.db"],
    [
      "Publishing to Heroku requires heroku to be installed and configured\n" +
        "Follow the instructions at https://devcenter.heroku.com/articles/heroku-cli",
      "publish heroku data.db",
    ],
    [
      "Publishing to Google Cloud requires gcloud to be installed and configured\n" +
        "Follow the instructions at https://cloud.google.com/sdk/docs/install",
      "publish cloudrun data.db --service x",
    ],
    ["notes.txt is not a database", "package notes.txt"],
    [
      "busy.db is being written to: busy.db-wal holds what is not in it yet. Stop what writes to it, or publish a " +
        `copy: sqlite3 busy.db "vacuum into 'copy.db'"`,
      "package busy.db",
    ],
    [
      "busy-link.db is being written to: busy.db-wal holds what is not in it yet. Stop what writes to it, or publish " +
        `a copy: sqlite3 busy-link.db "vacuum into 'copy.db'"`,
      "package busy-link.db",
    ],
    ["Metadata is not valid JSON or YAML: list.json should hold an object", "package data.db -m list.json"],
    ["Heroku has no SpatiaLite", "publish heroku data.db --spatialite"],
  ] as const;
  before(async () => {
    await place.database("data.db");
    await place.database("busy.db");
    symlinkSync(join(place.folder, "busy.db"), join(place.folder, "busy-link.db"));
    place.write({
      "busy.db-wal": "not in the file yet",
      "notes.txt": "this is no database, but long enough",
      "list.json": "[1]",
      "broken.yaml": "a: [1",
      "file.txt": "",
    });
  });

  const BROKEN = "package data.db -m broken.yaml";
  const all = [...usage.map(([, words]) => words), ...failures.map(([, words]) => words), BROKEN];
  // A machine on which no program is installed.
  const ended = endings(place, Object.fromEntries(all.map((words) => [words, words.split(" ")])), {
    PATH: "/nowhere",
  });

  for (const [message, words] of usage) {
    it(`rowhouse ${words}`, () => {
      const { code, stdout, stderr } = ended(words);
      const [command = ""] = /^(package|publish (?:heroku|cloudrun)\b|publish)/.exec(words) ?? [];

      expect(stderr.split("\n\n")[1]).to.equal(`Error: ${message}\n`);
      expect(stderr).to.match(new RegExp(`^Usage: rowhouse ${command} \\[OPTIONS\\] `));
      expect(stderr).to.include(`Try 'rowhouse ${command} --help' for help.`);
      expect(stdout).to.equal("");
      expect(code).to.equal(2);
    });
  }

  for (const [message, words] of failures) {
    it(`rowhouse ${words}, where that fails`, () => {
      const { code, stdout, stderr } = ended(words);

      expect(stderr).to.equal(`Error: ${message}\n`);
      expect(stdout).to.equal("");
      expect(code).to.equal(1);
    });
  }

  it("broken metadata, with the reason", () => {
    const { code, stderr } = ended(BROKEN);

    expect(stderr).to.match(/^Error: Metadata is not valid JSON or YAML: broken\.yaml, [^\n]+\n$/);
    expect(code).to.equal(1);
  });
});
