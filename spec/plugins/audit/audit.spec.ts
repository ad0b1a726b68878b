import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { TrackedEvent } from "rowhouse/plugin-api/contracts";
import { rowhouseFor, type Contents, type TestRowhouse } from "../../harness/index.js";
import { closeWhenDone } from "../../harness/lifetimes.js";
import { openRaw } from "../../harness/raw-sqlite.js";

let folder = "";
let files = 0;

const freshFile = (): string => join(folder, `internal-${(files += 1)}.db`);

const audited = async (contents: Contents = {}): Promise<TestRowhouse> =>
  rowhouseFor({
    tables: { books: [{ id: 1, title: "Emma" }] },
    options: { internal: freshFile() },
    ...contents,
  });

const entries = async (rowhouse: TestRowhouse, query = ""): Promise<Record<string, unknown>[]> =>
  (await rowhouse.get(`/-/audit.json${query}`, { as: "root" })).json.entries;

const event = (created: Date, id = "ann"): TrackedEvent => ({ name: "login", actor: { id }, created });

describe("the log of changes", () => {
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "rowhouse-audit-"));
  });
  // Servers may outlive the test that made them, but not the file.
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  it("shows the actor, the change, the table and the number of rows, newest first", async () => {
    const rowhouse = await audited();
    const started = Date.now();
    await rowhouse.post("/library/books/-/insert", {
      as: { id: "root", name: "Ann" },
      json: { rows: [{ title: "Persuasion" }, { title: "Sanditon" }], ignore: true },
    });
    await rowhouse.post("/library/books/1/-/delete", { as: "root", json: {} });

    const [deleted, inserted, ...others] = await entries(rowhouse);

    expect(others).to.deep.equal([]);
    expect(inserted).to.deep.include({
      id: 1,
      event: "insert-rows",
      actor: { id: "root", name: "Ann" },
      database: "library",
      table: "books",
      num_rows: 2,
      details: { ignore: true, replace: false },
    });
    expect(deleted).to.deep.include({ id: 2, event: "delete-row", num_rows: 1, details: { pks: ["1"] } });
    expect(Date.parse(String(deleted?.["created"]))).to.be.within(started, Date.now());
  });

  it("says nothing of what was refused, or only tried", async () => {
    const rowhouse = await audited();
    const insert = (options: object): Promise<unknown> =>
      rowhouse.post("/library/books/-/insert", { json: { row: { id: 1, title: "again" } }, ...options });

    await insert({});
    await insert({ as: "root" });

    expect(await entries(rowhouse)).to.deep.equal([]);
  });

  it("has one entry for many forged tokens, with their number", async () => {
    const options = { internal: freshFile() };
    const rowhouse = await audited({ options });
    const refuse = (token: string): Promise<unknown> => rowhouse.get("/-/actor.json", { token });
    for (let count = 0; count < 30; count++) await refuse(`rhtok_forged.${count}`);

    const refusals = (): Promise<Record<string, unknown>[]> => entries(rowhouse, "?event=refuse-token");
    expect((await refusals()).map(({ details }) => details)).to.deep.equal([{ reason: "bad signature" }]);

    await rowhouse.close();
    const raw = await openRaw(options.internal);
    closeWhenDone(raw);
    expect(await raw.all("select event, details from audit_log")).to.deep.equal([
      { event: "refuse-token", details: '{"reason": "bad signature", "times": 30}' },
    ]);
  });

  it("is on disk when a change is acknowledged, and still there after a restart", async () => {
    const file = freshFile();
    const options = { internal: file };
    const rowhouse = await audited({ options });
    await rowhouse.post("/library/books/1/-/delete", { as: "root", json: {} });
    const raw = await openRaw(file);
    closeWhenDone(raw);

    expect(await raw.all("select event, actor_id, table_name from audit_log")).to.deep.equal([
      { event: "delete-row", actor_id: "root", table_name: "books" },
    ]);

    await rowhouse.close();
    expect(await entries(await audited({ options }))).to.have.length(1);
  });

  it("says in the log of the server which changes have no entry, each of them", async () => {
    const file = freshFile();
    const rowhouse = await audited({ options: { internal: file } });
    const raw = await openRaw(file);
    closeWhenDone(raw);
    await raw.all("alter table audit_log rename to away");
    const insert = { rows: [{ title: "Orlando" }, { title: "Dune" }] };

    await rowhouse.post("/library/books/-/insert", { as: "root", json: insert });
    const deleted = await rowhouse.post("/library/books/1/-/delete", { as: "root", json: {} });

    expect(deleted.status).to.equal(200);
    expect(rowhouse.logged.filter((line) => line.includes("no entry"))).to.deep.equal([
      "error: The log of changes has no entry for insert-rows on library/books (2 rows, actor root): no such table: audit_log",
      "error: The log of changes has no entry for delete-row on library/books (1 row, actor root): no such table: audit_log",
    ]);
  });

  it("comes in pages, narrowed by event, actor, database and table", async () => {
    const rowhouse = await audited();
    const { track } = rowhouse.rowhouse.service("events");
    for (let index = 0; index < 5; index += 1) await track(event(new Date(), index === 2 ? "bob" : "ann"));
    const ids = async (query: string): Promise<unknown[]> =>
      (await entries(rowhouse, query)).map(({ id }) => id);

    const first = await rowhouse.get("/-/audit.json?actor=ann&_size=3", { as: "root" });

    expect(first.json.entries.map(({ id }: { id: number }) => id)).to.deep.equal([5, 4, 2]);
    expect(first.json.next).to.equal("2");
    const next = await rowhouse.get(first.json.next_url.slice(rowhouse.origin.length), { as: "root" });
    expect(next.json).to.deep.include({ next: null, next_url: null });
    expect(next.json.entries).to.have.length(1);
    expect(await ids("?event=login&actor=bob")).to.deep.equal([3]);
    expect(await ids("?database=library")).to.deep.equal([]);
    expect(await ids("?table=books")).to.deep.equal([]);
  });

  it("is narrowed by time and by the text of details", async () => {
    const rowhouse = await audited();
    const { track } = rowhouse.rowhouse.service("events");
    for (const day of ["01", "02", "03"]) await track(event(new Date(`2200-01-${day}T12:00:00Z`)));
    await rowhouse.post("/library/books/1/-/delete", { as: "root", json: {} });
    const ids = async (query: string): Promise<unknown[]> =>
      (await entries(rowhouse, query)).map(({ id }) => id);

    expect(await ids("?since=2200-01-02")).to.deep.equal([3, 2]);
    expect(await ids("?since=2200-01-02&until=2200-01-02")).to.deep.equal([2]);
    expect(await ids("?since=2200-01-02T13:00:00Z")).to.deep.equal([3]);
    expect(await ids("?since=2200-01-02T12:00:00Z")).to.deep.equal([3, 2]);
    expect(await ids("?since=2200-01-02T12:00&until=2200-01-02T12:00")).to.deep.equal([2]);
    expect(await ids("?since=2200-01-02T12:00:00.0Z&until=2200-01-02T12:00:00.0")).to.deep.equal([2]);
    expect(await ids("?q=PKS")).to.deep.equal([4]);
    const { text } = await rowhouse.get("/-/audit?since=2200-01-02&event=login", { as: "root" });
    expect(text).to.include('<option value="login" selected>').and.include("Show all");
  });

  for (const query of [
    "since=yesterday",
    "until=2026-99-99",
    "_size=0",
    "_size=1001",
    "_size=x",
    "_next=-1",
    "_next=1'",
  ]) {
    it(`refuses ?${query}`, async () => {
      const rowhouse = await audited();

      expect((await rowhouse.get(`/-/audit.json?${query}`, { as: "root" })).status).to.equal(400);
    });
  }

  it("deletes entries older than audit_retention_days", async () => {
    const options = { internal: freshFile() };
    const [now, longAgo] = [new Date(), new Date(Date.now() - 3 * 86_400_000)];
    const rowhouse = await audited({ options, settings: { audit_retention_days: 0 } });
    await rowhouse.rowhouse.service("events").track(event(longAgo));
    await rowhouse.rowhouse.service("events").track(event(now));
    expect(await entries(rowhouse)).to.have.length(2);
    await rowhouse.close();

    const later = await audited({ options, settings: { audit_retention_days: 2 } });

    expect((await entries(later)).map(({ created }) => created)).to.deep.equal([now.toISOString()]);
  });

  it("deletes old entries also after the clock was set back", async () => {
    const DAY_MS = 86_400_000;
    const rowhouse = await audited({
      options: { internal: freshFile() },
      settings: { audit_retention_days: 2 },
    });
    const { track } = rowhouse.rowhouse.service("events");
    await track(event(new Date(Date.now() + DAY_MS)));
    await track(event(new Date(Date.now() + DAY_MS - 3 * DAY_MS)));

    await track(event(new Date()));

    const days = (await entries(rowhouse)).map(({ created }) =>
      String(Math.round((Date.parse(String(created)) - Date.now()) / DAY_MS)),
    );
    expect(days).to.deep.equal(["0", "1"]);
  });

  it("is shown to those with view-audit-log, as a page with links to the tables", async () => {
    const rowhouse = await audited({ metadata: { permissions: { "view-audit-log": { id: "auditor" } } } });
    await rowhouse.post("/library/books/1/-/delete", { as: { id: "root", name: "<b>" }, json: {} });

    const page = await rowhouse.get("/-/audit", { as: "auditor" });

    expect(page.status).to.equal(200);
    expect(page.text).to.include('<a href="/library/books">library/books</a>').and.include("&lt;b&gt;");
    expect(page.text).not.to.include("<b>");
    for (const as of [undefined, "ann"]) {
      const refused = await rowhouse.get("/-/audit.json", as === undefined ? {} : { as });
      expect(refused.status).to.equal(403);
      expect(refused.json.error).to.equal("Permission denied: need view-audit-log");
    }
  });

  it("is not granted by an allow block of the instance", async () => {
    const rowhouse = await audited({ metadata: { allow: true } });

    expect((await rowhouse.get("/-/audit.json", { as: "ann" })).status).to.equal(403);
    expect((await rowhouse.get("/-/audit.json", { as: "root" })).status).to.equal(200);
  });

  it("does not exist without a file to keep it in", async () => {
    const rowhouse = await rowhouseFor();

    const { status, json } = await rowhouse.get("/-/audit.json", { as: "root" });
    expect([status, json.error]).to.deep.equal([
      404,
      "There is no log of changes: start the server with --internal to keep one",
    ]);
    expect([...rowhouse.rowhouse.permissions.registered.keys()]).not.to.include("view-audit-log");
  });
});
