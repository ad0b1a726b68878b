import { chmodSync, renameSync } from "node:fs";
import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { workplace } from "../../cli/command.js";
import { rowhouseFor } from "../../harness/index.js";
import { until } from "../../harness/until.js";

const tables = { books: [{ id: 1, title: "Emma" }] };

describe("/-/health and /-/ready", () => {
  it("answer 200 to anonymous clients, also under --default-deny", async () => {
    const rowhouse = await rowhouseFor({ tables, options: { defaultDeny: true } });

    const [health, ready] = [await rowhouse.get("/-/health"), await rowhouse.get("/-/ready")];

    expect((await rowhouse.get("/")).status).to.equal(403);
    expect([health.status, health.json]).to.deep.equal([200, { ok: true }]);
    expect([ready.status, ready.json]).to.deep.equal([200, { ok: true, state: "ready" }]);
    expect(health.headers["cache-control"]).to.equal("no-store");
    expect((await rowhouse.request("HEAD", "/-/ready")).status).to.equal(200);
  });

  it("tell that a database is missing, and its name only to actors that may view it", async () => {
    const metadata = { databases: { library: { allow: { id: "ann" } } } };
    const rowhouse = await rowhouseFor({ tables, metadata, databases: { open: "create table t (id)" } });
    renameSync(rowhouse.file(), `${rowhouse.file()}.away`);
    renameSync(rowhouse.file("open"), `${rowhouse.file("open")}.away`);

    const [anonymous, bob, ann] = await Promise.all([
      rowhouse.get("/-/ready"),
      rowhouse.get("/-/ready", { as: "bob" }),
      rowhouse.get("/-/ready", { as: "ann" }),
    ]);

    expect([anonymous.status, anonymous.json]).to.deep.equal([503, { ok: false, state: "unavailable" }]);
    const reason = "The database file is missing.";
    expect(bob.json.reasons).to.deep.equal([{ database: "open", reason }]);
    expect(ann.json.reasons).to.deep.equal([
      { database: "library", reason },
      { database: "open", reason },
    ]);
    expect((await rowhouse.get("/-/health")).status).to.equal(200);

    renameSync(`${rowhouse.file()}.away`, rowhouse.file());
    renameSync(`${rowhouse.file("open")}.away`, rowhouse.file("open"));
    await until(async () => (await rowhouse.get("/-/ready")).status === 200);
  });

  it("tell that the internal file can't be written to", async () => {
    const place = await rowhouseFor({ tables });
    const internal = `${place.file()}.internal`;
    const rowhouse = await rowhouseFor({ tables, options: { internal } });
    expect((await rowhouse.get("/-/ready")).status).to.equal(200);

    chmodSync(internal, 0o444);

    await until(async () => (await rowhouse.get("/-/ready")).status === 503);
    const { json } = await rowhouse.get("/-/ready", { as: "root" });
    expect(json.reasons).to.deep.equal([
      { database: "_internal", reason: "The file of the internal database is read-only" },
    ]);
  });

  it("answer clients with a token also if it can't be checked because the internal file is missing", async () => {
    const place = await rowhouseFor({ tables });
    const internal = `${place.file()}.internal`;
    const rowhouse = await rowhouseFor({ tables, options: { internal } });
    const headers = {
      authorization: `Bearer ${await rowhouse.rowhouse.service("tokens").createToken("ann")}`,
    };
    expect((await rowhouse.get("/library.json", { headers })).status).to.equal(200);
    renameSync(internal, `${internal}.away`);
    await until(async () => (await rowhouse.get("/library.json", { headers })).status === 503);

    const [health, ready] = [
      await rowhouse.get("/-/health", { headers }),
      await rowhouse.get("/-/ready", { headers }),
    ];

    expect([health.status, health.json]).to.deep.equal([200, { ok: true }]);
    expect([ready.status, ready.json]).to.deep.equal([503, { ok: false, state: "unavailable" }]);
    renameSync(`${internal}.away`, internal);
  });

  it("are not ready while plugins start", async () => {
    const states: string[] = [];
    const early = definePlugin({
      name: "early",
      startup: async (rowhouse) => void states.push(String((await rowhouse.fetch("/-/ready")).body)),
    });

    const rowhouse = await rowhouseFor({ tables, plugins: [early] });

    expect(states.map((text) => JSON.parse(text) as unknown)).to.deep.equal([
      { ok: false, state: "starting" },
    ]);
    expect((await rowhouse.get("/-/ready")).status).to.equal(200);
  });

  describe("of a server that gets SIGTERM", () => {
    const place = workplace();
    before(() => place.database("library.db"));

    for (const [workers, mode] of Object.entries({ "1": "", "2": " (with several workers)" })) {
      it(`are not ready for drain_delay_ms, in which requests are still answered${mode}`, async () => {
        const delay = ["--setting", "drain_delay_ms", "2000"];
        const server = await place.serve(["library.db", "--workers", workers, ...delay]);
        const get = (path: string): Promise<Response> =>
          fetch(server.url + path, { headers: { connection: "close" } });
        const ready = async (): Promise<unknown> => (await get("/-/ready")).json();
        expect((await get("/-/ready")).status).to.equal(200);

        server.process.kill("SIGTERM");

        await until(async () => (await get("/-/ready")).status === 503);
        // Connections go to each worker in turn.
        await until(async () => {
          const states = JSON.stringify([await ready(), await ready(), await ready()]);
          return !states.includes('"ready"');
        });
        expect(await ready()).to.deep.equal({ ok: false, state: "draining" });
        expect((await get("/library/t.json")).status).to.equal(200);
        expect((await server.ended).code).to.equal(0);
      });
    }
  });
});
