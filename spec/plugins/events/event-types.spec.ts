import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import type { TrackedEvent } from "rowhouse/plugin-api/contracts";
import { failure } from "../../harness/failures.js";
import { rowhouseFor } from "../../harness/index.js";

const wave = { name: "wave", actor: null, created: new Date() } as unknown as TrackedEvent;

describe("kinds of events", () => {
  it("are those of Rowhouse and those that plugins register", async () => {
    const waves = definePlugin({
      name: "waves",
      register_events: () => ({ name: "wave", description: "Somebody waved" }),
    });
    const rowhouse = await rowhouseFor({ plugins: [waves] });
    const events = rowhouse.rowhouse.service("events");

    await events.track(wave);
    const names = (await events.types()).map(({ name }) => name);

    expect(names).to.include.members(["wave", "insert-rows", "login"]);
    expect(rowhouse.events).to.deep.equal([wave]);
    expect(rowhouse.logged).to.deep.equal([]);
  });

  it("stop the start if a plugin registers something else, and not the first event", async () => {
    const plugin = definePlugin({ name: "waves", register_events: () => "wave" as never });

    expect((await failure(rowhouseFor({ plugins: [plugin] }))).message).to.equal(
      "Plugin waves failed in register_events: it answered wave; it should be a kind of event with name and description",
    );
  });

  it("include every kind that Rowhouse publishes", async () => {
    const contract = await readFile("plugin-api/contracts/writing.ts", "utf8");
    const table = /export interface Events \{(.*?)\n\}/s.exec(contract)?.[1] ?? "";
    const published = [...table.matchAll(/^ {2}"?([\w-]+)"?: EventBase/gm)].map(([, name]) => name ?? "");
    const rowhouse = await rowhouseFor();

    const names = (await rowhouse.rowhouse.service("events").types()).map(({ name }) => name);

    expect(published).to.include.members(["write-query", "login"]);
    expect(names).to.include.members(published);
  });

  it("include a canned query that writes", async () => {
    const add = { sql: "insert into books values (2)", write: true };
    const rowhouse = await rowhouseFor({
      tables: { books: [{ id: 1 }] },
      metadata: { databases: { library: { queries: { add } } } },
    });

    await rowhouse.post("/library/add", { json: {} });

    expect(rowhouse.events.map(({ name }) => name)).to.deep.equal(["write-query"]);
    expect(rowhouse.logged).to.deep.equal([]);
  });

  it("that no plugin registers are sent with one warning in the log", async () => {
    const rowhouse = await rowhouseFor();

    for (let time = 0; time < 2; time++) await rowhouse.rowhouse.service("events").track(wave);

    expect(rowhouse.events).to.have.length(2);
    expect(rowhouse.logged).to.deep.equal([
      "warn: The event wave is sent, but no plugin registers it (register_events)",
    ]);
  });
});
