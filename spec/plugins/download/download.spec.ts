import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect } from "chai";
import { QueryInterrupted } from "rowhouse/plugin-api/errors";
import { rowhouseFor } from "../../harness/index.js";
import { openRaw } from "../../harness/raw-sqlite.js";
import { until } from "../../harness/until.js";

const tables = { books: [{ id: 1, title: "Emma" }] };
const frozen = { tables, immutable: ["library"] };

/** The folders of copies that this process has not removed yet. */
const copies = (): readonly string[] =>
  readdirSync(tmpdir()).filter(
    (name) => name.includes(`-${process.pid}-`) && name.startsWith("rowhouse-download-"),
  );

describe("/<database>.db", () => {
  it("is the file of an immutable database, tagged by its content", async () => {
    const rowhouse = await rowhouseFor(frozen);

    const reply = await rowhouse.get("/library.db");

    expect(reply.status).to.equal(200);
    expect(reply.bytes.equals(readFileSync(rowhouse.file()))).to.equal(true);
    expect(reply.headers["content-disposition"]).to.equal('attachment; filename="library.db"');
    const tag = String(reply.headers.etag);
    // A proxy that compresses weakens tags; a cache that holds several versions names all of them.
    for (const tags of [tag, `W/${tag}`, `"another", ${tag}`]) {
      const again = await rowhouse.get("/library.db", { headers: { "if-none-match": tags } });
      expect([again.status, again.text], tags).to.deep.equal([304, ""]);
    }
  });

  it("is a checked copy of a database that may change, for actors with an explicit grant", async () => {
    const metadata = {
      databases: { library: { permissions: { "view-database-download": { id: ["ann", "root"] } } } },
    };
    const rowhouse = await rowhouseFor({ tables, metadata });

    const reply = await rowhouse.get("/library.db", { as: "ann" });
    const head = await rowhouse.request("HEAD", "/library.db", { as: "ann" });

    expect(reply.status).to.equal(200);
    expect(reply.headers["cache-control"]).to.equal("no-store");
    expect(reply.headers["content-length"]).to.equal(String(reply.bytes.length));
    writeFileSync(`${rowhouse.file()}.copy`, reply.bytes);
    const copy = await openRaw(`${rowhouse.file()}.copy`);
    expect(await copy.all("select title from books")).to.deep.equal([{ title: "Emma" }]);
    await copy.close();
    expect([head.status, head.headers["content-length"]]).to.deep.equal([200, String(reply.bytes.length)]);
    await until(() => copies().length === 0);
    expect((await rowhouse.get("/library.db", { as: "bob" })).status).to.equal(403);
    expect((await rowhouse.get("/library.db")).status).to.equal(403);
  });

  it("is no error of the server if its client leaves while the copy is made", async () => {
    const rowhouse = await rowhouseFor({ tables });
    const { backup } = rowhouse.rowhouse.database("library");

    const failure = await backup
      ?.copyTo(`${rowhouse.file()}.copy`, { signal: AbortSignal.abort() })
      .catch((error: unknown) => error);

    expect(failure).to.be.instanceOf(QueryInterrupted);
  });

  it("is refused while the database may change, and when downloads are switched off", async () => {
    const mutable = await rowhouseFor({ tables });
    const switchedOff = await rowhouseFor({ ...frozen, settings: { allow_download: false } });

    for (const rowhouse of [mutable, switchedOff]) {
      const reply = await rowhouse.get("/library.db");
      expect(reply.status).to.equal(403);
      expect(reply.text).to.include("Database download is forbidden");
    }
  });

  it("is denied to actors who may not view one of its tables", async () => {
    const metadata = { databases: { library: { tables: { books: { allow: { id: "ann" } } } } } };
    const rowhouse = await rowhouseFor({ ...frozen, metadata });

    expect((await rowhouse.get("/library.db")).status).to.equal(403);
    expect((await rowhouse.get("/library.db", { as: "ann" })).status).to.equal(200);
    expect((await rowhouse.get("/library")).text).not.to.include('href="/library.db"');
    expect((await rowhouse.get("/library", { as: "ann" })).text).to.include('href="/library.db"');
  });

  it("is not refused because a client has sent an Idempotency-Key, whose reply is stored in the file", async () => {
    const rowhouse = await rowhouseFor({ tables });
    await rowhouse.post("/library/books/-/insert", {
      as: "root",
      json: { row: { title: "Orlando" } },
      headers: { "idempotency-key": "first" },
    });
    expect((await rowhouse.query("select count(*) from _rowhouse_idempotency")).length).to.equal(1);

    expect((await rowhouse.get("/library.db", { as: "root" })).status).to.equal(200);
  });

  it("is unknown for a database that is not there", async () => {
    const reply = await (await rowhouseFor(frozen)).get("/nope.db");

    expect(reply.status).to.equal(404);
    expect(reply.text).to.include("Invalid database");
  });
});
