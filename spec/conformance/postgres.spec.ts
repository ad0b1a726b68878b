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
/** Names of cases by the reason why they differ on PostgreSQL. */
type Reasons = Readonly<Record<string, readonly string[]>>;

const EXCEPTIONS = JSON.parse(readFileSync(FILE, "utf8")) as {
  /** They need types of SQLite, and could be the same on no other engine. */
  readonly restOnTypesOfSqlite: Reasons;
  readonly differ: Reasons;
};
const namesIn = (reasons: Reasons): ReadonlySet<string> => new Set(Object.values(reasons).flat());
const typed = namesIn(EXCEPTIONS.restOnTypesOfSqlite);
const differing = new Set([...typed, ...namesIn(EXCEPTIONS.differ)]);
const LEAST_SAME = 0.97;

/** All cases take five minutes on a busy machine; `ROWHOUSE_EXAM=all`, as in CI, replays those that write too. */
const withWrites = process.env["ROWHOUSE_EXAM"] === "all";
const groups = readGroups().map(({ name, cases }) => ({
  name,
  cases: cases.filter(
    (one) => !isAboutSqlite(one) && !exceptions.has(one.name) && (withWrites || !one.fresh),
  ),
}));

describePostgres("recorded exchanges on PostgreSQL", (server) => {
  const tally = new Tally();
  /** Without cases that rest on types of SQLite. */
  const portable = { same: 0, all: 0 };
  let servers: PostgresServers;
  before(async function () {
    this.timeout(120_000);
    servers = await PostgresServers.open(server());
  });
  after(async () => {
    await servers.close();
    const skipped = `; ${typed.size} others rest on types of SQLite, cases with SQL of the caller are left out`;
    console.log(
      `\n${tally.table()}\n  the same: ${portable.same} of ${portable.all} portable cases${skipped}`,
    );
  });

  it("differ only where a case of that name exists", () => {
    const names = new Set(readGroups().flatMap(({ cases }) => cases.map(({ name }) => name)));
    expect([...differing].filter((name) => !names.has(name))).to.deep.equal([]);
  });

  for (const { name, cases } of groups) {
    if (cases.length === 0) continue;
    it(`are the same, but for the exceptions: ${name}`, async function () {
      this.timeout(300_000);
      const surprises: string[] = [];
      for (const recorded of cases) {
        const [first] = await examine(recorded, servers);
        tally.count(recorded.group, first === undefined);
        if (!typed.has(recorded.name)) {
          portable.all += 1;
          portable.same += first === undefined ? 1 : 0;
        }
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

  it("are the same in at least 97 % of the portable cases", () => {
    expect(portable.same / portable.all).to.be.at.least(LEAST_SAME);
  });
});
