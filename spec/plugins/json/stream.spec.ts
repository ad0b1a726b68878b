import { EventEmitter, once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { expect } from "chai";
import type { Database } from "rowhouse/plugin-api";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";

const LINES = "_shape=array&_nl=on";
const STREAM = `${LINES}&_stream=on`;

const numbersSql = (count: number): string =>
  `create table numbers (id integer primary key, word text);
   with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
   insert into numbers select i, 'number ' || i from n;`;

const metadata = {
  databases: { library: { queries: { evens: "select id from numbers where id % 2 = 0" } } },
};

/** The response as soon as its headers are there, the body unread. */
async function begin({ port }: TestRowhouse, path: string): Promise<IncomingMessage> {
  const sent = httpRequest({ host: "127.0.0.1", port, path, agent: false });
  sent.end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return response;
}

/** What arrived, and whether the end of it did. */
async function readToEnd(response: IncomingMessage): Promise<{ text: string; whole: boolean }> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of response) pieces.push(piece as Buffer);
  } catch {
    // `complete` tells.
  }
  return { text: Buffer.concat(pieces).toString("utf8"), whole: response.complete };
}

describe("JSON lines with _stream", () => {
  it("are every row of a table, a filter, a canned query and ?sql=, page limits aside", async () => {
    const rowhouse = await rowhouseFor({
      sql: numbersSql(2500),
      metadata,
      settings: { max_returned_rows: 20, default_page_size: 10 },
    });
    const cases = [
      ["/library/numbers.json?", 2500],
      ["/library/numbers.json?id__gt=1500&", 1000],
      ["/library/evens.json?", 1250],
      ["/library.json?sql=select+*+from+numbers&", 2500],
    ] as const;

    for (const [path, count] of cases) {
      const reply = await rowhouse.get(`${path}${STREAM}`);
      const rows = reply.text.split("\n").map((line) => JSON.parse(line));

      expect(reply.headers["content-type"], path).to.equal("text/plain");
      expect(rows, path).to.have.length(count);
      expect(rows[0], path).to.have.property("id");
    }
  });

  const forms = ["", "&_labels=on", "&_json=word", "&_bigint=text", "&_col=word", "&_sort_desc=id"];
  for (const form of forms) {
    it(`are the text that a page of all rows would be${form === "" ? "" : ` with ${form.slice(1)}`}`, async () => {
      const rowhouse = await rowhouseFor({
        sql: `create table authors (id integer primary key, name text);
          insert into authors values (1, 'Austen');
          create table numbers (id integer primary key, word text, author_id integer references authors);
          insert into numbers values (1, '[1]', 1), (2, 'é', null), (9007199254740993, null, 1);`,
      });

      const page = await rowhouse.get(`/library/numbers.json?${LINES}${form}`);
      const streamed = await rowhouse.get(`/library/numbers.json?${STREAM}${form}`);

      expect(streamed.text).to.equal(page.text).and.not.equal("");
    });
  }

  it("of nothing are nothing", async () => {
    const rowhouse = await rowhouseFor({ tables: { empty: "id integer" } });

    const reply = await rowhouse.get(`/library/empty.json?${STREAM}`);

    expect(reply.status).to.equal(200);
    expect(reply.text).to.equal("");
  });

  it("have one snapshot: what is written meanwhile is not in them", async () => {
    const rowhouse = await rowhouseFor({ sql: numbersSql(60_000) });
    const response = await begin(rowhouse, `/library/numbers.json?${STREAM}`);

    await rowhouse.rowhouse.database("library").write(async (transaction) => {
      await transaction.run("update numbers set word = 'changed'");
      await transaction.run("delete from numbers where id > 30000");
    });
    const { text, whole } = await readToEnd(response);

    expect(whole).to.equal(true);
    expect(text.split("\n")).to.have.length(60_000);
    expect(text).not.to.include("changed");
  });

  it("are refused from the middle of a table, and where exports are switched off", async () => {
    const rowhouse = await rowhouseFor({ sql: numbersSql(3) });
    const without = await rowhouseFor({ sql: numbersSql(3), settings: { allow_csv_stream: false } });

    const middle = await rowhouse.get(`/library/numbers.json?${STREAM}&_next=1`);
    const off = await without.get(`/library/numbers.json?${STREAM}`);

    expect([middle.status, middle.json.error]).to.deep.equal([400, "_next not allowed for streaming"]);
    expect([off.status, off.json.error]).to.deep.equal([400, "Streaming is disabled"]);
  });

  it("are not other shapes, which are limited to a page", async () => {
    const rowhouse = await rowhouseFor({ sql: numbersSql(5) });

    for (const form of ["", "&_nl=on", "&_shape=array", "&_shape=arrayfirst&_nl=on"]) {
      const { json } = await rowhouse.get(`/library/numbers.json?_stream=on&_size=2${form}`);
      expect(Array.isArray(json) ? json : json.rows, form).to.have.length(2);
    }
  });

  it("answer what is wrong with the query before anything else, as an error document", async () => {
    const rowhouse = await rowhouseFor({
      sql: "create table gone (id integer); create view broken as select id from gone; drop table gone;",
    });

    const reply = await rowhouse.get(`/library.json?sql=select+nosuch&${STREAM}`);
    const view = await rowhouse.get(`/library/broken.json?${STREAM}`);

    expect(reply.status).to.equal(400);
    expect(reply.json.error).to.equal("no such column: nosuch");
    expect([view.status, view.json.error]).to.deep.equal([400, "no such table: main.gone"]);
    expect((await rowhouse.request("HEAD", `/library/broken.json?${STREAM}`)).status).to.equal(400);
  });

  it("are not read for HEAD, which has the same headers", async () => {
    const rowhouse = await rowhouseFor({ sql: numbersSql(3) });
    const path = `/library/numbers.json?${STREAM}`;

    const [head, get] = [await rowhouse.request("HEAD", path), await rowhouse.get(path)];

    expect(head.text).to.equal("");
    expect(head.headers["content-type"]).to.equal(get.headers["content-type"]);
    expect(head.headers["cache-control"]).to.equal(get.headers["cache-control"]);
  });
});

// Fails when the rows of the first batches have been sent.
const FAILS_MIDWAY =
  "with recursive n(i) as (select 1 union all select i + 1 from n where i < 30000) " +
  "select i, case when i = 20000 then json_extract('[', '$') else hex(randomblob(100)) end as x from n";

describe("A stream that fails midway", () => {
  for (const [format, path] of [
    ["JSON lines", `/library.json?${STREAM}&sql=`],
    ["CSV", "/library.csv?_stream=on&sql="],
  ] as const) {
    it(`is cut off, so that clients notice that ${format} is incomplete`, async () => {
      const rowhouse = await rowhouseFor();

      const response = await begin(rowhouse, path + encodeURIComponent(FAILS_MIDWAY));
      const { text, whole } = await readToEnd(response);

      expect(response.statusCode).to.equal(200);
      expect(text.length).to.be.greaterThan(100_000);
      expect(whole).to.equal(false);
      expect(rowhouse.logged.join("\n")).to.match(/malformed JSON/);
    });
  }
});

describe("A client that goes away", () => {
  const numbers = "with recursive n(i) as (select 1 union all select i + 1 from n)";
  const cases = [
    ["in the middle of an endless result", `${numbers} select i from n`, true],
    ["before the first row of an endless query", `${numbers} select max(i) from n`, false],
  ] as const;
  for (const [when, sql, hasRows] of cases) {
    it(`ends the read, ${when}`, async () => {
      const rowhouse = await rowhouseFor({ settings: { sql_time_limit_ms: 3_600_000 } });
      const { begun, ended } = watchStream(rowhouse.rowhouse.database("library"));
      const path = `/library.json?${STREAM}&sql=${encodeURIComponent(sql)}`;
      const sent = httpRequest({ host: "127.0.0.1", port: rowhouse.port, path, agent: false });
      sent.on("error", () => undefined).end();
      await begun;
      if (hasRows) {
        const [response] = (await once(sent, "response")) as [IncomingMessage];
        response.on("error", () => undefined);
        await once(response, "data");
      }

      sent.destroy();

      await ended;
      expect(rowhouse.logged).to.deep.equal([]);
    });
  }
});

/** When the next stream of `database` begins to be read, and when its read has come to its end. */
function watchStream(database: Database): Record<"begun" | "ended", Promise<unknown>> {
  const stream = database.streamJson.bind(database);
  const life = new EventEmitter();
  database.streamJson = async function* (...asked) {
    life.emit("begun");
    try {
      yield* stream(...asked);
    } finally {
      life.emit("ended");
    }
  };
  return { begun: once(life, "begun"), ended: once(life, "ended") };
}
