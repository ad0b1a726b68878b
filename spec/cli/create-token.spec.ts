import { expect } from "chai";
import { workplace } from "./command.js";

const SECRET = ["--secret", "a secret that is long enough to be one"];

const needs = (action: string, names: string, options: string): string =>
  `${action} also needs ${names}, unless metadata allows it or the setting restrictions_imply_parents is on: ` +
  `add ${options}`;

/** What the options grant, and what the command says is missing. */
const cases: readonly (readonly [options: string, said: readonly string[]])[] = [
  [
    "-a view-table",
    [needs("view-table", "view-database and view-instance", "-a view-database -a view-instance")],
  ],
  [
    "-a vt -a vi",
    [
      "Unknown permission: vt (short for view-table)",
      "Unknown permission: vi (short for view-instance)",
      needs("view-table", "view-database", "-a view-database"),
    ],
  ],
  ["-d a view-table -a view-instance", [needs("view-table", "view-database", "-d a view-database")]],
  [
    "-r a t view-table",
    [needs("view-table", "view-database and view-instance", "-d a view-database -a view-instance")],
  ],
  [
    "-r a t view-table -r a u view-table -d b view-database -a view-instance",
    [needs("view-table", "view-database", "-d a view-database")],
  ],
  [
    "-a view-query",
    [needs("view-query", "view-database and view-instance", "-a view-database -a view-instance")],
  ],
  ["-a view-database", [needs("view-database", "view-instance", "-a view-instance")]],
  ["-d a execute-sql -d a view-database -a view-instance", []],
  ["-a view-table -d a view-database -a view-instance", []],
  ["-a insert-row", []],
  ["", []],
];

describe("rowhouse create-token", () => {
  const place = workplace();
  before(() => place.database("a.db", "create table t (id integer primary key); insert into t values (7)"));

  const create = (options: string) =>
    place.call(["create-token", "ann", ...options.split(" ").filter(Boolean), ...SECRET]);
  const read = async (token: string) =>
    place.call(["a.db", "--get", "/a/t.json?_shape=arrayfirst", "--token", token.trim(), ...SECRET]);

  for (const [options, said] of cases) {
    it(`lists the further permissions that are needed with ${options || "no restrictions"}`, async () => {
      const { stdout, stderr, code } = await create(options);

      expect(code).to.equal(0);
      expect(stdout).to.match(/^rhtok_\S+\n$/);
      expect(
        stderr
          .split("\n")
          .map((line) => line.trim())
          .filter(Boolean),
      ).to.deep.equal(said);
    });
  }

  it("takes an actor id that begins with a dash after --", async () => {
    const options = ["create-token", "-a", "view-instance", "--debug", ...SECRET];
    const { stdout, code } = await place.call([...options, "--", "-x"]);
    const extra = await place.call([...options, "--", "-x", "--debug"]);

    expect(code).to.equal(0);
    expect(stdout).to.match(/"a": "-x"/);
    expect(extra.stderr).to.match(/\nError: Got unexpected extra argument \(--debug\)\n$/);
  });

  it("takes a dash for an actor id", async () => {
    const { stdout } = await place.call(["create-token", "-", "--debug", ...SECRET]);

    expect(stdout).to.match(/"a": "-"/);
  });

  it("misses the secret if it is empty, because no server would accept the token", async () => {
    const { stdout, stderr, code } = await place.call(["create-token", "ann", "--secret", ""]);

    expect({ stdout, code }).to.deep.equal({ stdout: "", code: 2 });
    expect(stderr).to.include("Error: Missing option '--secret'.");
  });

  it("names options with which the token shows what it was made for", async () => {
    const alone = await create("-a view-table");
    const [, added = ""] = /: add (.*)/.exec(alone.stderr) ?? [];
    const whole = await create(`-a view-table ${added.trim()}`);

    expect((await read(alone.stdout)).code).to.equal(1);
    expect((await read(whole.stdout)).stdout).to.equal("[7]\n");
  });
});
