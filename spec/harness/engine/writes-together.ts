import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { Database, Transaction } from "rowhouse/plugin-api";
import type { WriteOptions } from "rowhouse/plugin-api/engine";
import { insertOfList, titles, withBooks } from "./books.js";
import type { OpenEngine } from "./open-engine.js";

interface Book {
  readonly id: number;
  readonly title: string;
}

const twoBooks = (first: number): readonly [id: number, title: string][] => [
  [first, `Book ${first}`],
  [first + 1, `Book ${first + 1}`],
];

/** Stores books, with a bulk form. */
async function storeInBulk(
  database: Database,
  rows: readonly (readonly [id: number, title: string])[],
  options: WriteOptions = {},
): Promise<readonly Book[]> {
  const sql = await insertOfList(database, ["id", "title"], ["id", "title"]);
  const items = rows.map((row) => JSON.stringify(row));
  const result = (stored: readonly string[]): Book[] => stored.map((text) => JSON.parse(text) as Book);
  const work = async (transaction: Transaction): Promise<Book[]> =>
    result((await transaction.allJson(sql, [`[${items.join()}]`], { shape: "objects" })).rows);
  return database.write(work, { ...options, bulk: { sql, items, result } } as WriteOptions<Book[]>);
}

/** The same, without RETURNING. */
async function storeWithoutRows(
  database: Database,
  rows: readonly (readonly [id: number, title: string])[],
): Promise<number> {
  const sql = await insertOfList(database, ["id", "title"]);
  const items = rows.map((row) => JSON.stringify(row));
  const work = async (transaction: Transaction): Promise<number> =>
    (await transaction.run(sql, [`[${items.join()}]`])).changes;
  return database.write(work, { bulk: { sql, items, result: () => rows.length } });
}

export function describeWritesTogether(open: OpenEngine): void {
  describe("writes that are queued at the same time", () => {
    it("run one after the other in order of arrival, and fail alone", async () => {
      const database = await withBooks(open);
      const order: number[] = [];

      const results = await Promise.allSettled(
        Array.from({ length: 12 }, (_, index) =>
          database.write(async (transaction) => {
            order.push(index);
            await transaction.run("insert into books values (?, ?)", [100 + index, `Book ${index}`]);
            await sleep(1);
            if (index % 3 === 0) await transaction.run("insert into books values (1, 'taken')");
          }),
        ),
      );

      expect(order).to.deep.equal(Array.from({ length: 12 }, (_, index) => index));
      expect(results.map(({ status }) => status === "fulfilled")).to.deep.equal(
        order.map((index) => index % 3 !== 0),
      );
      expect(await titles(database)).to.have.length(2 + 8);
    });

    it("do not affect others if they fail after their first change, or are dry runs", async () => {
      const database = await withBooks(open);

      const results = await Promise.allSettled(
        Array.from({ length: 12 }, (_, index) =>
          database.write(
            async (transaction) => {
              await transaction.run("insert into books values (?, 'first')", [100 + 2 * index]);
              await transaction.run("insert into books values (?, 'second')", [101 + 2 * index]);
              if (index % 4 === 0) throw new Error("no");
            },
            { dryRun: index % 4 === 1 },
          ),
        ),
      );

      expect(results.map(({ status }) => status === "rejected")).to.deep.equal(
        Array.from({ length: 12 }, (_, index) => index % 4 === 0),
      );
      const { rows } = await database.read("select id from books where id >= 100 order by id");
      const kept = [2, 3, 6, 7, 10, 11].flatMap((index) => [100 + 2 * index, 101 + 2 * index]);
      expect(rows.flat()).to.deep.equal(kept);
    });

    it("have the same effect in bulk form as by their functions, also if one fails", async () => {
      const database = await withBooks(open);

      const results = await Promise.allSettled(
        Array.from({ length: 12 }, (_, index) =>
          storeInBulk(database, [[index % 4 === 0 ? 1 : 100 + index, `Book ${index}`]]),
        ),
      );

      const stored = results.map((result) =>
        result.status === "fulfilled" ? result.value : result.reason.message,
      );
      expect(stored).to.deep.equal(
        Array.from({ length: 12 }, (_, index) =>
          index % 4 === 0
            ? "UNIQUE constraint failed: books.id"
            : [{ id: 100 + index, title: `Book ${index}` }],
        ),
      );
      expect(await titles(database)).to.have.length(2 + 9);
    });

    it("fail alone in bulk form without RETURNING, whatever other writes wait between them", async () => {
      const database = await withBooks(open);

      const results = await Promise.allSettled(
        Array.from({ length: 12 }, async (_, index) => {
          if (index === 5) {
            return database.write((transaction) => transaction.run("delete from books where id = 2"));
          }
          const second = index % 4 === 0 ? 1 : 200 + index;
          return storeWithoutRows(database, [
            [100 + index, `Book ${index}`],
            [second, "Second"],
          ]);
        }),
      );

      expect(
        results.map((result) => (result.status === "rejected" ? result.reason.message : "stored")),
      ).to.deep.equal(
        results.map((_, index) => (index % 4 === 0 ? "UNIQUE constraint failed: books.id" : "stored")),
      );
      expect(await titles(database)).to.have.length(2 - 1 + 8 * 2);
    });

    it("store nothing twice if the function of a result throws", async () => {
      const database = await withBooks(open);
      const sql = await insertOfList(database, ["title"], ["id"]);
      const failing = {
        sql,
        items: ['["Sanditon"]'],
        result: (): never => {
          throw new TypeError("no");
        },
      };
      const work = (transaction: Transaction): Promise<unknown> => transaction.run(sql, ['[["Sanditon"]]']);

      await Promise.allSettled([
        storeInBulk(database, [[50, "Before"]]),
        database.write<unknown>(work, { bulk: failing }),
        storeInBulk(database, [[51, "After"]]),
      ]);

      const stored = await titles(database);
      expect(stored).to.include.members(["Before", "After"]);
      expect(stored.filter((title) => title === "Sanditon")).to.have.length.of.at.most(1);
    });

    it("keep the items of each write together and in order", async () => {
      const database = await withBooks(open);
      const stored = await Promise.all([50, 40, 30].map((first) => storeInBulk(database, twoBooks(first))));

      expect(stored.flat().map(({ id }) => id)).to.deep.equal([50, 51, 40, 41, 30, 31]);
    });

    it("store nothing of dry runs in bulk form", async () => {
      const database = await withBooks(open);

      await Promise.all([
        storeInBulk(database, [[50, "Kept"]]),
        storeInBulk(database, [[51, "Tried"]], { dryRun: true }),
      ]);

      expect(await titles(database)).to.deep.equal(["Emma", "Persuasion", "Kept"]);
    });
  });
}
