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
          handler: ({ name, loud }) => console.log((loud ? "HELLO " : "hello ") + name, rowhouse.permissions.registered.has("greet"), rowhouse.databases.size),
        }],
      };`,
      ".rowhouserc.json": { plugins: ["./greet.mjs"] },
    });
  });

  it("runs with the permissions of plugins and without databases, and is in the help", async () => {
    const [greeting, help, own] = await Promise.all([
      place.call(["greet", "ann", "--loud"]),
      place.call(["--help"]),
      place.call(["greet", "--help"]),
    ]);

    expect(greeting.stdout).to.equal("HELLO ann true 0\n");
    expect(greeting.code).to.equal(0);
    expect(help.stdout).to.include("rowhouse greet <name>").and.include("Say hello");
    expect(own.stdout).to.include("--loud");
  });

  it("has its mistakes reported like those of every other command", async () => {
    const { code, stderr } = await place.call(["greet", "ann", "--lout"]);

    expect(stderr).to.equal(
      "Usage: rowhouse greet [OPTIONS] NAME\nTry 'rowhouse greet --help' for help.\n\nError: No such option: --lout (Possible options: --loud)\n",
    );
    expect(code).to.equal(2);
  });
});

describe("a plugin's command that waits for what can't happen", () => {
  const place = workplace();

  it("is an error, although the process has nothing left to do", async () => {
    place.write({
      "wait.mjs": `export default { register_commands: () => ({
        command: "wait", describe: "Wait", handler: () => new Promise(() => console.log("waiting")),
      }) };`,
      ".rowhouserc.json": { plugins: ["./wait.mjs"] },
    });

    const { code, stdout, stderr } = await place.run(["wait"]);

    expect(stdout).to.equal("waiting\n");
    expect(stderr).to.equal("Error: The command ended before its work was done\n");
    expect(code).to.equal(1);
  });
});

describe("commands of a plugin under one word", () => {
  const place = workplace();

  before(() => {
    place.write({
      "zoo.mjs": `export default { register_commands: () => ({
        command: "zoo",
        describe: "Look after animals",
        commands: [
          { command: "feed <animal> [more..]", describe: "Give it food", dashedValues: ["food"], builder: { food: { type: "string", nargs: 1 } },
            handler: ({ animal, more, food }) => console.log([animal, ...more, food].join(" ")) },
          { command: "clean", describe: "Take it away", handler: () => console.log("clean") },
        ],
      }) };`,
      ".rowhouserc.json": { plugins: ["./zoo.mjs"] },
    });
  });

  it("are called by both words, and take options as others do", async () => {
    const [fed, clean] = await Promise.all([
      place.call(["zoo", "feed", "emu", "--food", "--grass", "owl"]),
      place.call(["zoo", "clean"]),
    ]);

    expect(fed).to.deep.equal({ code: 0, stdout: "emu owl --grass\n", stderr: "" });
    expect(clean.stdout).to.equal("clean\n");
  });

  it("are listed under the name of their group, also in the overview", async () => {
    const [alone, overview, own] = await Promise.all([
      place.call(["zoo"]),
      place.call(["--help"]),
      place.call(["zoo", "feed", "--help"]),
    ]);

    expect(alone.code).to.equal(0);
    expect(alone.stdout).to.match(
      /rowhouse zoo feed <animal> \[more\.\.\] +Give it food\n +rowhouse zoo clean/,
    );
    expect(overview.stdout).to.match(/rowhouse zoo +Look after animals/);
    expect(own.stdout).to.match(
      /^Usage: rowhouse zoo feed \[OPTIONS\] ANIMAL \[MORE\]\.\.\.\n\nGive it food/,
    );
  });

  const mistakes = [
    ["zoo fed emu", "zoo", "[OPTIONS] COMMAND [ARGS]...", "No such command 'fed'. (Possible commands: feed)"],
    ["zoo feed", "zoo feed", "[OPTIONS] ANIMAL [MORE]...", "Missing argument 'ANIMAL'."],
    ["zoo clean --all", "zoo clean", "[OPTIONS]", "No such option: --all"],
    ["zoo --all", "zoo", "[OPTIONS] COMMAND [ARGS]...", "No such option: --all"],
  ] as const;
  for (const [words, command, parameters, message] of mistakes) {
    it(`have their mistakes reported with all their words: ${words}`, async () => {
      const { code, stderr } = await place.call(words.split(" "));

      expect(stderr).to.equal(
        `Usage: rowhouse ${command} ${parameters}\nTry 'rowhouse ${command} --help' for help.\n\nError: ${message}\n`,
      );
      expect(code).to.equal(2);
    });
  }

  it("are no commands where one of them has no handler", async () => {
    place.write({
      "torn.mjs": `export default { register_commands: () => ({ command: "torn", describe: "", commands: [{ command: "x" }] }) };`,
      "torn.json": { plugins: ["./torn.mjs"] },
    });

    const { code, stderr } = await place.call(["torn", "-c", "torn.json"]);

    expect(stderr).to.include("a command with command and handler, or a group with command and commands");
    expect(code).to.equal(1);
  });
});

describe("a command that a plugin registers", () => {
  const place = workplace();
  const MISTAKES = {
    "the name of a command of Rowhouse": [
      `{ command: "serve [file]", describe: "Odd", handler() {} }`,
      "The command serve of plugin odd.mjs exists already, in Rowhouse itself",
    ],
    "the name of a command of a bundled plugin": [
      `{ command: "create-token", describe: "Odd", handler() {} }`,
      "The command create-token of plugin odd.mjs exists already, in a bundled plugin",
    ],
    "a name that it has registered before": [
      `[{ command: "zoo", describe: "Odd", handler() {} }, { command: "zoo <animal>", describe: "Odd", handler() {} }]`,
      "The command zoo of plugin odd.mjs exists already, in plugin odd.mjs",
    ],
    "no name": [
      `{ command: "<animal>", describe: "Odd", handler() {} }`,
      "Plugin odd.mjs failed in register_commands: it answered an object with command, describe, handler; it should be a command with command and handler, or a group with command and commands",
    ],
  };
  for (const [index, [mistake, [command = "", message]]] of Object.entries(MISTAKES).entries())
    it(`is refused where it has ${mistake}, and help warns of it`, async () => {
      place.write({
        // Each in a module of its own: a process loads a module once.
        [`${index}/odd.mjs`]: `export default { register_commands: () => (${command}) };`,
        ".rowhouserc.json": { plugins: [`./${index}/odd.mjs`] },
      });

      const [{ code, stderr }, help] = await Promise.all([place.call(["zoo"]), place.call(["--help"])]);

      expect(stderr).to.equal(`Error: ${message}\n`);
      expect(code).to.equal(1);
      expect(help.stderr).to.include(message);
      expect(help.stdout).to.include("rowhouse serve").and.not.include("Odd");
    });
});
