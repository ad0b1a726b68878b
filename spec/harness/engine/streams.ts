import { expect } from "chai";
import type { SqlValue } from "rowhouse/plugin-api";
import { failure } from "../failures.js";
import { titles, withBooks } from "./books.js";
import { numbers } from "./numbers.js";
import type { OpenEngine } from "./open-engine.js";

export function describeStreams(open: OpenEngine): void {
  describe("streams", () => {
    it("return all rows in order, in batches", async () => {
      const database = await open();
      const sizes: number[] = [];
      const seen: SqlValue[] = [];

      for await (const { rows, columns } of database.stream(numbers(2_500), [], { batchSize: 1_000 })) {
        expect(columns).to.deep.equal(["i"]);
        sizes.push(rows.length);
        seen.push(...rows.map(([i]) => i ?? null));
      }

      expect(sizes).to.deep.equal([1_000, 1_000, 500]);
      expect(seen).to.deep.equal(Array.from({ length: 2_500 }, (_, index) => index + 1));
    });

    it("have the columns of an empty result", async () => {
      const database = await withBooks(open);
      const batches = [];

      const sql = `select * from books where ${database.dialect.never}`;
      for await (const batch of database.streamJson(sql)) batches.push(batch);

      expect(batches).to.deep.equal([{ columns: ["id", "title"], rows: [], truncated: false }]);
    });

    it("read one snapshot, and do not block writes", async () => {
      const database = await withBooks(open);
      await database.write((transaction) => transaction.run(`insert into books (title) ${numbers(3_000)}`));
      const stream = database.stream("select id from books order by id", [], { batchSize: 100 });
      const iterator = stream[Symbol.asyncIterator]();
      await iterator.next();

      await database.write((transaction) => transaction.run("delete from books"));

      const rest: unknown[] = [];
      for (let step = await iterator.next(); step.done !== true; step = await iterator.next()) {
        rest.push(...step.value.rows.map(([id]) => id));
      }
      expect(rest).to.deep.equal(Array.from({ length: 2_902 }, (_, index) => index + 101));
      expect(await titles(database)).to.deep.equal([]);
    });

    it("can be ended early, without blocking the next write", async () => {
      const database = await withBooks(open);

      for await (const { rows } of database.stream(numbers(1_000_000))) if (rows.length > 0) break;

      await database.write((transaction) => transaction.run("delete from books"));
      expect(await titles(database)).to.deep.equal([]);
    });

    it("are interrupted if their signal is aborted", async () => {
      const database = await open();
      const caller = new AbortController();
      const reading = async (): Promise<void> => {
        const options = { signal: caller.signal, batchSize: 10 };
        for await (const { rows } of database.stream(numbers(1_000_000), [], options)) {
          if (rows.length > 0) caller.abort();
        }
      };

      expect((await failure(reading())).name).to.equal("QueryInterrupted");
    });
  });
}
