import { expect } from "chai";
import { workplace } from "../../cli/command.js";
import { messageOf } from "rowhouse/plugin-api";
import { metadataOf, typedPeople } from "./people.js";

const startWith = (columnTypes: unknown): Promise<string> =>
  typedPeople({ metadata: metadataOf(columnTypes) }).then(
    () => "it started",
    (error: unknown) => messageOf(error),
  );

const PATH = "databases.library.tables.people.column_types";

describe("column_types in the metadata", () => {
  const mistakes = [
    [{ email: "emial" }, `metadata.json: ${PATH}.email: unknown column type emial, did you mean email?`],
    [
      { email: "xyzzy" },
      `metadata.json: ${PATH}.email: unknown column type xyzzy, known are url, email, json, textarea, image, date, datetime`,
    ],
    [
      { email: { type: "email", config: { a: 1 } } },
      `metadata.json: ${PATH}.email: the config of column type email is not wanted: it takes none`,
    ],
    [
      ["email"],
      `metadata.json: ${PATH} must be an object of column types by column, each a name or an object such as {type: email}`,
    ],
    [
      { email: 5 },
      `metadata.json: ${PATH} must be an object of column types by column, each a name or an object such as {type: email}`,
    ],
    [
      { email: { config: 1 } },
      `metadata.json: ${PATH} must be an object of column types by column, each a name or an object such as {type: email}`,
    ],
  ] as const;
  for (const [given, message] of mistakes) {
    it(`of ${JSON.stringify(given)} stops the start`, async () => {
      expect(await startWith(given)).to.equal(message);
    });
  }

  it("that is null is as good as absent", async () => {
    expect(await startWith(null)).to.equal("it started");
  });

  describe("on the command line", () => {
    const place = workplace();

    it("a type of a bare .mjs shows what it should", async () => {
      await place.database(
        "library.db",
        "create table people (name text); insert into people values ('ann')",
      );
      place.write({
        "loud.yaml": "databases: {library: {tables: {people: {column_types: {name: shout}}}}}",
        "shout.mjs":
          "export default { name: 'shouting', register_column_types: () => ({ name: 'shout', description: 'Loud', " +
          "render: ({ value }) => value.toUpperCase() + '<!>' }) };",
        ".rowhouserc.json": { plugins: ["./shout.mjs"] },
      });

      const { stdout } = await place.run(["library.db", "-m", "loud.yaml", "--get", "/library/people"]);

      expect(stdout).to.include("ANN&lt;!&gt;");
    });

    it("a mistake names the file and its line, and a type may come from a bare .mjs", async () => {
      place.write({
        "metadata.yaml":
          "databases:\n  library:\n    tables:\n      people:\n        column_types:\n          name: shoot\n",
        "shout.mjs":
          "export default { name: 'shouting', register_column_types: () => ({ name: 'shout', description: 'Loud' }) };",
      });

      place.write({ ".rowhouserc.json": { plugins: ["./shout.mjs"] } });
      const { stderr, code } = await place.run(["serve", "-m", "metadata.yaml", "--get", "/-/versions.json"]);

      expect(stderr).to.include("metadata.yaml, line 6");
      expect(stderr).to.include("unknown column type shoot, did you mean shout?");
      expect(code).to.equal(1);
    });
  });
});
