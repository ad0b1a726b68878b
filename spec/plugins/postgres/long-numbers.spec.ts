import { expect } from "chai";
import { workplace, type Serving } from "../../cli/command.js";
import { describePostgres } from "../../harness/postgres.js";
import { LIMIT_MS, LoopProbe } from "../../hostile/loop-probe.js";

const SECRET = "a secret of at least thirty-two bytes for specs";
const DIGITS = "9".repeat(1_900_000);

describePostgres("a filter with a very long number on PostgreSQL", function (server) {
  const place = workplace();
  let serving: Serving;
  let token = "";
  let base = "";
  const probe = new LoopProbe(place, () => serving);
  before(async function () {
    if (process.platform !== "linux") return this.skip();
    const uri = await server().createDatabase(
      "create table t (id bigint primary key, a text); insert into t values (1, 'a')",
    );
    const options = ["--no-config", "--secret", SECRET];
    serving = await place.serve([`${uri}?sslmode=disable`, ...options], probe.environment);
    base = `${serving.url}/${uri.split("/").at(-1)}`;
    token = (await place.run(["create-token", "root", "--secret", SECRET])).stdout.trim();
  });

  const filters: readonly object[] = [
    { id: DIGITS },
    { id__gt: DIGITS },
    { id__gt: `${"0".repeat(1_900_000)}1` },
    { id__in: `[${"9".repeat(1_000)},${DIGITS}]` },
    { a__gt: DIGITS },
    { id: `${" ".repeat(100_000)}x` },
  ];
  for (const filter of filters) {
    it(`does not block the event loop: ${JSON.stringify(filter).slice(0, 14)}`, async function () {
      this.timeout(60_000);
      const body = JSON.stringify({ filters: filter, dry_run: true });
      const longest = await probe.leastBlockedMs("/t/-/delete", async () => {
        const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
        const reply = await fetch(`${base}/t/-/delete`, { method: "POST", headers, body });
        expect(await reply.json()).to.deep.include(
          "id__in" in filter
            ? { ok: false, errors: ["Invalid JSON in id__in"] }
            : { ok: true, row_count: "a__gt" in filter ? 1 : 0 },
        );
      });

      expect(longest).to.be.below(LIMIT_MS);
    });
  }
});
