import { expect } from "chai";
import { workplace, type Serving } from "../../cli/command.js";
import { describePostgres } from "../../harness/postgres.js";
import { rowhouseFor } from "../../harness/index.js";
import { LIMIT_MS, LoopProbe } from "../../hostile/loop-probe.js";

/** Cells are completed in pieces of 262,144 characters. */
const PIECE = 262_144;

/** Characters of one to four bytes, and some that JSON escapes, so that a piece can end anywhere inside of them. */
const MIXED = 'a\u00e9\u20ac\u{1f600}"\\\n\u007f';

const SCRIPT = `
  create table cells (id int primary key, b bytea, t text, c text, j jsonb);
  insert into cells (id, b) select 1, decode(repeat('00ff80', 6700000), 'hex');
  insert into cells (id, t) values (2, repeat('hello, all ', 1800000));
  insert into cells (id, c) values (3, repeat('слово ', 1500000));
  insert into cells (id, j) select 4, jsonb_agg(i) from generate_series(1, 2000000) as i;`;

const PATHS = [
  ...[1, 2, 3, 4].map((id) => `/shop/cells/${id}.json`),
  ...[1, 2, 4].map((id) => `/shop/cells.csv?id=${id}`),
  "/shop/cells/1",
  "/shop/cells/1.blob?_blob_column=b",
];

describePostgres("a cell of 20 MB in PostgreSQL", function (server) {
  const place = workplace();
  let serving: Serving;
  const probe = new LoopProbe(place, () => serving);
  before(async function () {
    if (process.platform !== "linux") return this.skip();
    this.timeout(60_000);
    const uri = await server().createDatabase(SCRIPT);
    const options = ["--no-config", "--setting", "sql_time_limit_ms", "30000"];
    const name = uri.split("/").at(-1) ?? "";
    serving = await place.serve([`${uri}?sslmode=disable`, ...options], probe.environment);
    base = `${serving.url}/${name}`;
    await fetch(`${base}/cells/1.json`);
  });
  let base = "";

  for (const path of PATHS) {
    it(`does not block the event loop: ${path}`, async function () {
      this.timeout(60_000);
      const longest = await probe.leastBlockedMs(path, async () => {
        const reply = await fetch(base + path.replace("/shop", ""));
        expect(reply.status).to.equal(200);
        await reply.arrayBuffer();
      });

      expect(longest).to.be.below(LIMIT_MS);
    });
  }
});

describePostgres("a long cell in PostgreSQL", (server) => {
  const bytes = Buffer.from(Array.from({ length: 3 * PIECE + 1 }, (_, at) => (at * 7919) % 256));
  const text = "x".repeat(3) + MIXED.repeat(100_000);

  it("is exact at the end of each piece", async () => {
    const quoted = text.replaceAll("'", "''");
    const uri = await server().createDatabase(
      `create table cells (id int primary key, t text, b bytea, u bytea);
       insert into cells values (1, '${quoted}', '\\x${bytes.toString("hex")}', convert_to('${quoted}x', 'UTF8'));`,
    );
    const rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
    const { text: sent } = await rowhouse.get("/shop/cells.json?_shape=array");
    const blob = await rowhouse.get("/shop/cells/1.blob?_blob_column=b");

    const [row] = JSON.parse(sent) as readonly {
      readonly t: string;
      readonly u: string;
      readonly b: { readonly encoded: string };
    }[];
    expect(row?.t === text).to.equal(true);
    expect(row?.u === `${text}x`).to.equal(true);
    expect(row?.b.encoded === bytes.toString("base64")).to.equal(true);
    expect(bytes.equals(blob.bytes)).to.equal(true);
    // oxlint-disable-next-line no-control-regex
    expect(/[^\u0000-\u007e]/.test(sent)).to.equal(false);
  });
});
