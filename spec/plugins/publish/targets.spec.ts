import { expect } from "chai";
import { workplace } from "../../cli/command.js";

const MARS = `export default {
  name: "mars",
  publish_subcommand: (_rowhouse, { publish }) => publish.target({
    name: "mars",
    describe: "Another planet",
    options: { crater: { alias: "k", type: "string", describe: "Where to land" } },
    handler: async (bundle, { crater, title }) => {
      await bundle.inFolder(() => console.log("landed in", crater, title, Object.keys(bundle.secrets).join()));
      const ghost = publish.tool("no-such-rocket", "Mars needs a rocket");
    },
  }),
};`;

describe("a target of a plugin's own", () => {
  const place = workplace();

  before(async () => {
    await place.database("data.db");
    place.write({
      "listed/mars.mjs": MARS,
      "listed/rowhouse.json": { plugins: ["./mars.mjs"], autoload: false },
      "package.json": { dependencies: { "rowhouse-plugin-mars": "1.0.0" } },
      "node_modules/rowhouse-plugin-mars/package.json": {
        name: "rowhouse-plugin-mars",
        version: "1.0.0",
        exports: "./index.mjs",
        keywords: ["rowhouse-plugin"],
      },
      "node_modules/rowhouse-plugin-mars/index.mjs": MARS,
      "own-heroku.mjs": `export default { name: "own", publish_subcommand: (_rowhouse, { publish }) =>
        publish.target({ name: "heroku", describe: "Ours", handler: () => console.log("ours") }) };`,
      "broken.mjs": `export default { name: "broken", publish_subcommand: (_rowhouse, { publish }) =>
        publish.target({ name: "Not A Name" }) };`,
      "without.json": { plugins: { publish: false }, autoload: false },
      "without-but-mars.json": { plugins: { publish: false, "./listed/mars.mjs": true }, autoload: false },
      "own.json": { plugins: ["./own-heroku.mjs"] },
      "broken.json": { plugins: ["./broken.mjs"] },
    });
  });

  it("is listed among the others, with its own options and the shared ones", async () => {
    const [list, help] = await Promise.all([
      place.call(["publish", "--help"]),
      place.call(["publish", "mars", "--help"]),
    ]);

    expect(list.stdout).to.match(
      /publish cloudrun.*\n.*publish heroku.*\n.*publish mars \[files\.\.\] +Another planet/,
    );
    expect(help.stdout).to.match(
      /^Usage: rowhouse publish mars \[OPTIONS\] \[FILES\]\.\.\.\n\nAnother planet/,
    );
    expect(help.stdout).to.include("--crater").and.include("--plugin-secret").and.include("--extra-options");
  });

  it("is handed the bundle and the values, and may end with a word of its own", async () => {
    const words = [
      "publish",
      "mars",
      "data.db",
      "-k",
      "Jezero",
      "--title",
      "Red",
      "--plugin-secret",
      "a",
      "b",
      "c",
    ];
    const { code, stdout, stderr } = await place.call(words);

    expect(stdout).to.equal("landed in Jezero Red ROWHOUSE_SECRET,A_B\n");
    expect(stderr).to.equal("Error: Mars needs a rocket\n");
    expect(code).to.equal(1);
  });

  it("may come from a file that the configuration lists", async () => {
    const { stdout } = await place.call(["publish", "--help", "-c", "listed/rowhouse.json"]);

    expect(stdout).to.include("rowhouse publish mars");
  });

  it("takes the place of a bundled one", async () => {
    const { stdout } = await place.call(["publish", "heroku", "-c", "own.json"]);

    expect(stdout).to.equal("ours\n");
  });

  it("that is none is an error with the plugin's name", async () => {
    const { code, stderr } = await place.call(["publish", "heroku", "-c", "broken.json"]);

    expect(stderr).to.match(/^Error: Plugin broken failed in publish_subcommand: a target needs [^\n]+\n$/);
    expect(code).to.equal(1);
  });

  it("has no commands without the plugin publish, and taps of its hook have no effect", async () => {
    const [help, bare, mars] = await Promise.all([
      place.call(["--help", "-c", "without.json"]),
      place.call(["package", "data.db", "-c", "without.json"]),
      place.call(["plugins", "-c", "without-but-mars.json"]),
    ]);

    expect(help.stdout).to.not.match(/rowhouse (package|publish)/);
    expect(bare.stderr).to.include("Path 'package' does not exist");
    expect(mars.code).to.equal(0);
  });
});

describe("rowhouse publish alone", () => {
  const place = workplace();

  it("prints its help with the targets", async () => {
    const [alone, asked, overview] = await Promise.all([
      place.call(["publish"]),
      place.call(["publish", "--help"]),
      place.call(["--help"]),
    ]);

    expect(alone).to.deep.equal(asked);
    expect(alone.code).to.equal(0);
    expect(alone.stdout).to.match(/^Usage: rowhouse publish \[OPTIONS\] COMMAND \[ARGS\]\.\.\./);
    expect(overview.stdout).to.include("rowhouse package <files..>").and.include("rowhouse publish");
  });
});
