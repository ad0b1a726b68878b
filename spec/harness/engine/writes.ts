import { once } from "node:events";
import { expect } from "chai";
import type { Transaction } from "rowhouse/plugin-api";
import { Real } from "rowhouse/plugin-api/engine";
import { failure } from "../failures.js";
import { titles, withBooks } from "./books.js";
import { numbers } from "./numbers.js";
import type { OpenEngine } from "./open-engine.js";
import type { EngineTraits } from "./traits.js";

export function describeWrites(open: OpenEngine, { lastKeys }: EngineTraits): void {
  describe("writes", () => {
    it("are visible to every read that starts after they resolved", async () => {
      const database = await withBooks(open);
      await database.write((transaction) =>
        transaction.run("insert into books (title) values (?)", ["Sanditon"]),
      );

      const readings = await Promise.all(Array.from({ length: 8 }, () => titles(database)));

      for (const seen of readings) expect(seen).to.deep.equal(["Emma", "Persuasion", "Sanditon"]);
    });

    it("are rolled back if their function throws, and reject with its error", async () => {
      const database = await withBooks(open);
      const refusal = new Error("no");

      const error = await failure(
        database.write(async (transaction) => {
          await transaction.run("delete from books");
          throw refusal;
        }),
      );

      expect(error).to.equal(refusal);
      expect(await titles(database)).to.have.length(2);
    });

    it("are rolled back if a statement fails that their function did not await", async () => {
      const database = await withBooks(open);

      const error = await failure(
        database.write((transaction) => {
          void transaction.run("delete from books");
          void transaction.run("insert into books values (1, 2, 3, 4)");
          return Promise.resolve();
        }),
      );

      expect(error).to.include({ name: "SqlFailed" });
      expect(await titles(database)).to.have.length(2);
    });

    it("reject with the kind of the error", async () => {
      const database = await withBooks(open);

      const error = await failure(
        database.write((transaction) => transaction.run("insert into books values (1, 'again')")),
      );

      expect(error).to.include({ name: "SqlFailed", kind: "constraint" });
      expect(error.message).to.equal("UNIQUE constraint failed: books.id");
    });

    it("return the number of changed rows and the exact last key", async () => {
      const database = await withBooks(open);

      const [inserted, deleted] = await database.write(async (transaction) => [
        await transaction.run("insert into books values (9223372036854775806, 'Last')"),
        await transaction.run("delete from books where id < 10"),
      ]);

      expect(inserted).to.deep.equal({ changes: 1, lastInsertRowid: lastKeys ? 9223372036854775806n : 0 });
      expect(deleted?.changes).to.equal(2);
    });

    it("return rows, typed and as JSON", async () => {
      const database = await withBooks(open);
      const { declaredTypes } = database.dialect.definitions;

      const [typed, json] = await database.write(async (transaction) => [
        await transaction.all(
          `insert into books (title) values (?) returning *, cast(id as ${declaredTypes.float}) as half`,
          ["Sanditon"],
        ),
        await transaction.allJson(
          "update books set title = upper(title) where id = 1 returning title, ID",
          [],
          {
            shape: "objects",
          },
        ),
      ]);

      expect(typed).to.deep.equal({
        columns: ["id", "title", "half"],
        rows: [[3, "Sanditon", new Real(3)]],
        truncated: false,
      });
      expect(json?.rows).to.deep.equal(['{"title": "EMMA", "id": 1}']);
    });

    it("stream rows with the changes of the write, and run other statements during a stream", async () => {
      const database = await withBooks(open);

      const seen = await database.write(async (transaction) => {
        await transaction.run("delete from books");
        await transaction.run(`insert into books (title) ${numbers(2_500)}`);
        const sizes: number[] = [];
        for await (const { columns, rows } of transaction.stream(
          "select title from books where id > ?",
          [0],
        )) {
          expect(columns).to.deep.equal(["title"]);
          sizes.push(rows.length);
          await failure(transaction.run("insert into books (id) values (1), (1)"));
        }
        for await (const { rows } of transaction.stream(numbers(1_000_000))) if (rows.length > 0) break;
        for (const [sql, name, limits] of [
          ["select * from missing", "SqlFailed", {}],
          [numbers(1_000_000_000), "QueryInterrupted", { timeLimitMs: 50 }],
        ] as const) {
          const stream = transaction.stream(
            sql.replace("select i from n", "select count(*) from n"),
            [],
            limits,
          );
          expect(await failure(stream[Symbol.asyncIterator]().next())).to.include({ name });
        }
        await transaction.run("delete from books where title <> '7'");
        return sizes;
      });

      expect(seen).to.deep.equal([1_000, 1_000, 500]);
      expect(await titles(database)).to.deep.equal(["7"]);
    });

    it("end a stream that their function has not read to its end", async () => {
      const database = await withBooks(open);
      let rest: AsyncIterator<unknown> | null = null;

      await database.write(async (transaction) => {
        await transaction.run("update books set title = 'x'");
        rest = transaction.stream(numbers(5_000))[Symbol.asyncIterator]();
        await rest.next();
      });
      await database.write((transaction) => transaction.run("update books set title = 'y'"), {
        timeoutMs: 200,
      });

      const readAll = async (): Promise<void> => {
        while ((await rest?.next())?.done === false);
      };
      expect((await failure(readAll())).message).to.include("ended");
      expect(await titles(database)).to.deep.equal(["y", "y"]);
    });

    it("run any statement that returns rows to its end, and return its rows", async () => {
      const database = await withBooks(open);
      const add = "insert into books (title) values (?), (?) returning id, title";

      const result = await database.write((transaction) => transaction.run(add, ["Sanditon", "Lady Susan"]));

      expect(result).to.deep.equal({
        changes: 2,
        lastInsertRowid: lastKeys ? 4 : 0,
        returned: {
          columns: ["id", "title"],
          rows: [
            [3, "Sanditon"],
            [4, "Lady Susan"],
          ],
          truncated: false,
        },
      });
      for (const sql of ["select * from books", "values (1), (2)", "with q as (select 1) select * from q"]) {
        const { changes } = await database.write((transaction) => transaction.run(sql), { timeoutMs: 200 });
        expect(changes, sql).to.equal(0);
      }
      await database.write((transaction) => transaction.run("delete from books"), { timeoutMs: 200 });
      expect(await titles(database)).to.deep.equal([]);
    });

    it("return the number of rows that a statement with WITH changed", async () => {
      const database = await withBooks(open);
      const sql = "with q(t) as (values ('a'), ('b')) insert into books (title) select t from q";

      const result = await database.write((transaction) => transaction.run(sql));
      const returned = await database.write((transaction) => transaction.all(`${sql} returning title`));

      expect(result).to.deep.equal({ changes: 2, lastInsertRowid: lastKeys ? 4 : 0 });
      expect(returned.rows).to.deep.equal([["a"], ["b"]]);
    });

    it("can follow a failed statement that returns rows", async () => {
      const database = await withBooks(open);
      const sql = "insert into books values (?, 'x'), (1, 'again') returning id";

      for (const how of ["run", "all", "allJson"] as const) {
        const work = async (transaction: Transaction): Promise<unknown> => transaction[how](sql, [7]);
        const error = await failure(database.write(work));
        expect(error, how).to.include({ name: "SqlFailed", kind: "constraint" });
        await database.write((transaction) => transaction.run("update books set title = title"), {
          timeoutMs: 200,
        });
      }
      expect(await titles(database)).to.have.length(2);
    });

    it("return their result and are rolled back if they are a dry run", async () => {
      const database = await withBooks(open);

      const result = await database.write((transaction) => transaction.run("delete from books"), {
        dryRun: true,
      });

      expect(result.changes).to.equal(2);
      expect(await titles(database)).to.have.length(2);
    });

    it("are refused inside a write of the same database", async () => {
      const database = await withBooks(open);

      const error = await failure(database.write(() => database.write(async () => undefined)));

      expect(error.name).to.equal("NestedWrite");
      await database.write(async () => undefined);
    });

    it("can be started by a task of another write after its end", async () => {
      const database = await withBooks(open);
      let later: Promise<unknown> = Promise.resolve();
      const end = new EventTarget();

      await database.write(async () => {
        later = once(end, "over").then(() =>
          database.write((transaction) => transaction.run("delete from books")),
        );
      });
      end.dispatchEvent(new Event("over"));
      await later;

      expect(await titles(database)).to.deep.equal([]);
    });

    it("run outside of a transaction if requested", async () => {
      const database = await withBooks(open);

      await database.write((transaction) => transaction.run("vacuum"), { transaction: false });

      expect(await titles(database)).to.have.length(2);
    });

    it("can't begin or end a transaction by SQL", async () => {
      const database = await withBooks(open);

      for (const sql of ["commit", "rollback", "begin", "release work"]) {
        const error = await failure(
          database.write(async (transaction) => {
            await transaction.run("delete from books");
            await transaction.run(sql);
          }),
        );

        expect(error.name).to.equal("InvalidSql");
      }
      expect(await titles(database)).to.have.length(2);
    });
  });
}
