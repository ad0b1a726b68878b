import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { describePostgres } from "../harness/postgres.js";
import { readGroups } from "./cases.js";
import { examine, isAboutSqlite } from "./examine.js";
import { exceptions } from "./exceptions.js";
import { PostgresServers } from "./on-postgres.js";
import { Tally } from "./report.js";

const FILE = fileURLToPath(new URL("../../../spec/conformance/postgres-exceptions.json", import.meta.url));
/** Why cases differ on Postgres: names of cases by reason. */
const REASONS = JSON.parse(readFileSync(FILE, "utf8")) as Readonly<Record<string, readonly string[]>>;
const differing = new Set(Object.values(REASONS).flat());

/** All cases take ten minutes on a busy machine; `ROWHOUSE_EXAM=all` replays those that write too. */
const withWrites = process.env["ROWHOUSE_EXAM"] === "all";
const groups = readGroups().map(({ name, cases }) => ({
  name,
  cases: cases.filter(
    (one) => !isAboutSqlite(one) && !exceptions.has(one.name) && (withWrites || !one.fresh),
  ),
}));

describePostgres("recorded exchanges on Postgres", (server) => {
  const tally = new Tally();
  let servers: PostgresServers;
  before(async function () {
    this.timeout(120_000);
    servers = await PostgresServers.open(server());
  });
  after(async () => {
    await servers.close();
    console.log(`\n${tally.table()}`);
  });

  it("differ only where a case of that name exists", () => {
    const names = new Set(readGroups().flatMap(({ cases }) => cases.map(({ name }) => name)));
    expect([...differing].filter((name) => !names.has(name))).to.deep.equal([]);
  });

  for (const { name, cases } of groups) {
    it(`are the same, but for the exceptions: ${name}`, async function () {
      this.timeout(300_000);
      const surprises: string[] = [];
      for (const recorded of cases) {
        const [first] = await examine(recorded, servers);
        tally.count(recorded.group, first === undefined);
        if ((first !== undefined) === differing.has(recorded.name)) continue;
        surprises.push(
          first === undefined
            ? `${recorded.name} is the same: take it out of the exceptions`
            : `${recorded.name}: ${first.where}: expected ${first.expected}, got ${first.got}`,
        );
      }
      expect(surprises).to.deep.equal([]);
    });
  }
});
