import { expect } from "chai";
import { workplace } from "../../cli/command.js";

describe("a plugin's command", () => {
  const place = workplace();

  before(() => {
    place.write({
      "greet.mjs": `export default {
        register_permissions: () => [{ name: "greet", abbr: null, description: null, takes_database: false, takes_resource: false, default: true }],
        register_commands: (rowhouse) => [{
          command: "greet <name>",
          describe: "Say hello",
          builder: { loud: { type: "boolean" } },
          handler: ({ name, loud }) => console.log((loud ? "HELLO " : "hello ") + name, rowhouse.permissions.has("greet"), rowhouse.databases.size),
        }],
      };`,
      ".rowhouserc.json": { plugins: ["./greet.mjs"] },
    });
  });

  it("runs with the plugins' permissions and without databases, and stands in the help", async () => {
    const [greeting, help, own] = await Promise.all([
      place.run(["greet", "ann", "--loud"]),
      place.run(["--help"]),
      place.run(["greet", "--help"]),
    ]);

    expect(greeting.stdout).to.equal("HELLO ann true 0\n");
    expect(greeting.code).to.equal(0);
    expect(help.stdout).to.include("rowhouse greet <name>").and.include("Say hello");
    expect(own.stdout).to.include("--loud");
  });

  it("has its mistakes reported like those of every other command", async () => {
    const { code, stderr } = await place.run(["greet", "ann", "--lout"]);

    expect(stderr).to.equal(
      "Usage: rowhouse greet [OPTIONS] NAME\nTry 'rowhouse greet --help' for help.\n\nError: No such option: --lout (Possible options: --loud)\n",
    );
    expect(code).to.equal(2);
  });
});
