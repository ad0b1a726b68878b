import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestReply } from "../../harness/index.js";
import { openRaw } from "../../harness/raw-sqlite.js";

const tables = { books: [{ id: 1, title: "Emma" }] };
const PATH = "/library/books";
const CLIENTS = 8;

/** A plugin that counts how often the page of a table is made, which takes some time. */
function counter(failures = 0) {
  const pages = { made: 0 };
  const plugin = definePlugin({
    name: "counter",
    deterministic: true,
    async filters_from_request() {
      pages.made += 1;
      const fails = pages.made <= failures;
      await sleep(100);
      if (fails) throw new Error("The first page fails");
      return null;
    },
  });
  return { pages, plugin };
}

const together = (ask: () => Promise<TestReply>): Promise<readonly TestReply[]> =>
  Promise.all(Array.from({ length: CLIENTS }, ask));

const statusesOf = (answers: readonly TestReply[]): readonly number[] => answers.map(({ status }) => status);

const ALL_WELL = Array.from({ length: CLIENTS }, () => 200);

describe("A page that many clients ask for at once", () => {
  it("is made once, and once again after a write of another process", async () => {
    const { pages, plugin } = counter();
    const rowhouse = await rowhouseFor({ tables, plugins: [plugin] });
    const before = await together(() => rowhouse.get(PATH));
    expect(pages.made).to.equal(1);
    const other = await openRaw(rowhouse.file());
    await other.run("update books set title = 'Persuasion'");
    await other.close();

    const after = await together(() => rowhouse.get(PATH));

    expect(pages.made).to.equal(2);
    expect(new Set(before.map(({ text }) => text)).size).to.equal(1);
    for (const { text, headers } of after) {
      expect(text).to.include("Persuasion");
      expect(headers.etag).to.equal(after[0]?.headers.etag);
    }
  });

  it("shows what was written while it was made to all who ask afterwards", async () => {
    const { plugin } = counter();
    const rowhouse = await rowhouseFor({ tables, plugins: [plugin] });
    const other = await openRaw(rowhouse.file());
    const first = rowhouse.get(PATH);
    await sleep(50);
    await other.run("update books set title = 'Persuasion'");
    await other.close();

    expect((await rowhouse.get(PATH)).text).to.include("Persuasion");
    expect((await first).status).to.equal(200);
  });

  it("is made once although it is too long for the cache", async () => {
    const { pages, plugin } = counter();
    const rows = Array.from({ length: 90 }, (_, id) => ({ id, title: `${id} ${"x".repeat(4_000)}` }));
    const settings = { truncate_cells_html: 0 };
    const rowhouse = await rowhouseFor({ tables: { books: rows }, plugins: [plugin], settings });

    const answers = await together(() => rowhouse.get(PATH));

    expect(pages.made).to.equal(1);
    for (const { text } of answers) expect(text).to.include("89 xxx").and.to.have.length.above(300_000);
  });

  it("is made for each if it may be for one client only", async () => {
    const { pages, plugin } = counter();
    const rowhouse = await rowhouseFor({ tables, plugins: [plugin] });

    const answers = await together(() => rowhouse.get(PATH, { headers: { cookie: "a=b" } }));

    expect(statusesOf(answers)).to.deep.equal(ALL_WELL);
    expect(pages.made).to.equal(CLIENTS);
  });

  it("is made for each with reply_cache_kb 0", async () => {
    const { pages, plugin } = counter();
    const rowhouse = await rowhouseFor({ tables, plugins: [plugin], settings: { reply_cache_kb: 0 } });

    await together(() => rowhouse.get(PATH));

    expect(pages.made).to.equal(CLIENTS);
  });

  it("is made by the others if the first one fails", async () => {
    const { pages, plugin } = counter(1);
    const rowhouse = await rowhouseFor({ tables, plugins: [plugin] });

    const answers = await together(() => rowhouse.get(PATH));

    expect(statusesOf(answers).toSorted()).to.deep.equal([...ALL_WELL.slice(1), 500]);
    expect(pages.made).to.equal(CLIENTS);
  });

  it("is made by another if a plugin fails so that the first one never ends", async () => {
    const replies = { count: 0 };
    const failing = definePlugin({
      name: "failing",
      deterministic: true,
      finish_reply: {
        order: "early",
        run(_rowhouse, { value }) {
          replies.count += 1;
          if (replies.count === 1) throw new Error("The first reply fails");
          return value;
        },
      },
    });
    const { plugin } = counter();
    const rowhouse = await rowhouseFor({ tables, plugins: [plugin, failing] });

    const answers = await together(() => rowhouse.get(PATH));

    expect(statusesOf(answers).toSorted()).to.deep.equal([...ALL_WELL.slice(1), 500]);
  }).timeout(20_000);
});
