import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { failure } from "../failures.js";
import { titles, withBooks } from "./books.js";
import { numbers } from "./numbers.js";
import type { OpenEngine } from "./open-engine.js";

const ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n";

const HOUR_MS = 3_600_000;

export function describeLimits(open: OpenEngine): void {
  describe("limits", () => {
    it("drop rows after maxRows, in the order of the statement, and set truncated", async () => {
      const database = await open();
      const sql = `${numbers(10)} order by i desc`;

      const three = await database.read(sql, [], { maxRows: 3 });
      const ten = await database.readJson(sql, [], { maxRows: 10 });

      expect(three).to.deep.include({ rows: [[10], [9], [8]], truncated: true });
      expect(ten.rows).to.have.length(10);
      expect(ten.truncated).to.equal(false);
    });

    it("interrupt a statement at its time limit, not before, and not the next statement", async () => {
      const database = await open();
      const started = performance.now();

      const error = await failure(database.read(ENDLESS, [], { timeLimitMs: 50 }));

      expect(error.name).to.equal("QueryInterrupted");
      expect(performance.now() - started).to.be.at.least(45);
      expect((await database.read("select 1")).rows).to.deep.equal([[1]]);
    });

    it("interrupt a statement whose signal is aborted", async () => {
      const database = await open();
      const caller = new AbortController();
      const reading = failure(database.read(ENDLESS, [], { timeLimitMs: HOUR_MS, signal: caller.signal }));
      await sleep(30);
      caller.abort();

      expect((await reading).name).to.equal("QueryInterrupted");
    });

    it("interrupt a statement of a write, which is rolled back, while other writes are stored", async () => {
      const database = await withBooks(open);
      const endless = `insert into books (title) ${ENDLESS.replace("count(*)", "'Again ' || i")}`;
      const returning = `${endless} returning id`;
      const write = (sql: string): Promise<Error> =>
        failure(database.write((transaction) => transaction.run(sql, [], { timeLimitMs: 50 })));

      const [plain, withRows] = await Promise.all([
        write(endless),
        write(returning),
        database.write((transaction) => transaction.run("insert into books (title) values ('Sanditon')"), {
          repeatable: true,
        }),
      ]);

      expect([plain.name, withRows.name]).to.deep.equal(["QueryInterrupted", "QueryInterrupted"]);
      expect(await titles(database)).to.deep.equal(["Emma", "Persuasion", "Sanditon"]);
    });
  });
}
