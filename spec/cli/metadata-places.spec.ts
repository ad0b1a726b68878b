import { expect } from "chai";
import { workplace } from "./command.js";

const mistakes: readonly (readonly [name: string, files: Readonly<Record<string, unknown>>, said: string])[] =
  [
    [
      "YAML, with the line",
      { "metadata.yaml": "title: x\ndatabases:\n  a:\n    tables:\n      t:\n        size: big\n" },
      'metadata.yaml, line 6: databases.a.tables.t.size must be a whole number or "max"',
    ],
    [
      "JSON, with the line",
      { "metadata.json": '{\n  "title": "x",\n  "license": ["y"]\n}' },
      "metadata.json, line 3: license must be text",
    ],
    [
      "a key that is missing, with the line of the block that lacks it",
      { "metadata.yaml": "databases:\n  a:\n    queries:\n      q:\n        title: x\n" },
      "metadata.yaml, line 4: databases.a.queries.q.sql must be an SQL string",
    ],
    [
      "who may do what",
      { "metadata.yaml": "databases:\n  a:\n    allow: [ann]\n" },
      'metadata.yaml, line 3: databases.a.allow must be true, false, null or an object, not ["ann"]',
    ],
    [
      "rowhouse.yaml beside the metadata",
      {
        "metadata.yaml": "title: x\n",
        "rowhouse.yaml": "settings: {}\ndatabases:\n  a:\n    tables:\n      t: {facets: name}\n",
      },
      "rowhouse.yaml, line 5: databases.a.tables.t.facets must be a list of columns, or of objects such as {array: column}",
    ],
    [
      "metadata inside the configuration file",
      { "rowhouse.yaml": "metadata:\n  title: x\n  source: {a: 1}\n" },
      "rowhouse.yaml, line 3: source must be text",
    ],
    [
      "package.json",
      { "package.json": '{"name": "x",\n "rowhouse": {\n "allow": "ann"}}' },
      'package.json, line 3: allow must be true, false, null or an object, not "ann"',
    ],
  ];

describe("A mistake in the metadata", () => {
  for (const [name, files, said] of mistakes) {
    describe(`in ${name}`, () => {
      const place = workplace();

      it("ends the start in one line that names file, key and reason", async () => {
        await place.database("a.db");
        place.write(files);

        const { code, stderr } = await place.run([".", "--get", "/.json"]);

        expect(stderr).to.equal(`Error: ${said}\n`);
        expect(code).to.equal(1);
      });
    });
  }

  describe("on the command line", () => {
    const place = workplace();

    it("is reported like that of --setting, which overrides the file", async () => {
      await place.database("a.db");
      place.write({ "metadata.yaml": "databases:\n  a:\n    title: x\n" });

      const { stderr } = await place.run([".", "--setting", "databases.a.title", "[]", "--get", "/.json"]);

      expect(stderr).to.equal("Error: --setting: databases.a.title must be text\n");
    });
  });
});
