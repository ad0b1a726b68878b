import { expect } from "chai";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../../harness/index.js";
import { doubling, STUCK } from "./children.js";

// The machine may be busy: what takes minutes without isolation has to end within seconds.
const SOON_MS = 15_000;

// Suggestions run the condition of the caller too, and a server that closes waits for them.
const TIME_LIMITS = { sql_time_limit_ms: 300, facet_suggest_time_limit_ms: 50 };

const books = { books: [{ id: 1, title: "Emma" }] };

const ask = (rowhouse: TestRowhouse, sql: string): Promise<TestReply> =>
  rowhouse.get(`/library.json?_shape=arrayfirst&sql=${encodeURIComponent(sql)}`);

describe("statements that can't be interrupted", () => {
  let rowhouse: TestRowhouse;
  beforeEach(async () => {
    rowhouse = await rowhouseFor({ tables: books, settings: TIME_LIMITS });
  });

  const statements = {
    "one call of a function": STUCK,
    "a statement that is not yet prepared": doubling(24),
  };
  for (const [what, sql] of Object.entries(statements)) {
    it(`end at the time limit: ${what}`, async () => {
      const began = performance.now();

      const { status, json } = await ask(rowhouse, sql);

      expect(status).to.equal(400);
      expect(json).to.include({ title: "SQL Interrupted" });
      expect(performance.now() - began).to.be.below(SOON_MS);
      expect((await ask(rowhouse, "select 42")).text).to.equal("[42]");
    });
  }

  it("end in _where and in streams too", async () => {
    const where = encodeURIComponent(`(${STUCK}) = 1`);

    const replies = await Promise.all([
      rowhouse.get(`/library/books.json?_where=${where}`),
      rowhouse.get(`/library/books.csv?_stream=on&_where=${where}`).catch(() => ({ status: 400 })),
      rowhouse.get(`/library.csv?_stream=on&sql=${encodeURIComponent(STUCK)}`),
    ]);

    for (const { status } of replies) expect(status).to.equal(400);
    expect((await ask(rowhouse, "select 42")).text).to.equal("[42]");
  });

  it("twenty at once leave pages alone and give other SQL its turn", async () => {
    await ask(rowhouse, "select 1");
    let isOver = false;
    let other: TestReply | null = null;
    const storm = Array.from({ length: 20 }, async (_, index) => {
      const replies: TestReply[] = [];
      do replies.push(await ask(rowhouse, index % 2 === 0 ? STUCK : doubling(24)));
      while (other === null);
      return replies;
    });
    const over = Promise.all(storm).finally(() => (isOver = true));

    // The storm continues until the statement had its turn. On a busy machine a refusal may come first (`Retry-After`).
    let reply = await ask(rowhouse, "select title from books");
    while (reply.status === 503) reply = await ask(rowhouse, "select title from books");
    other = reply;
    const took: number[] = [];
    while (!isOver) {
      const began = performance.now();
      const { status } = await rowhouse.get("/library/books.json?_nosuggest=1");
      expect(status).to.equal(200);
      took.push(performance.now() - began);
    }

    expect(other.json).to.deep.equal(["Emma"]);
    expect(took.toSorted((a, b) => a - b)[Math.floor(took.length / 2)]).to.be.below(1_000);
    for (const { status, headers } of (await over).flat()) {
      expect([400, 503]).to.include(status);
      if (status === 503) expect(headers["retry-after"]).to.equal("1");
    }
  });

  it("cost their process and nothing else when they need too much memory", async () => {
    const patient = await rowhouseFor({ tables: books, settings: { sql_process_memory_mb: 128 } });
    const sort =
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000000) " +
      "select count(distinct randomblob(1000)) from n";

    const { status, json } = await ask(patient, sort);

    expect(status).to.equal(400);
    expect(json).to.include({ error: "out of memory" });
    expect((await ask(patient, "select 42")).json).to.deep.equal([42]);
  });
});
