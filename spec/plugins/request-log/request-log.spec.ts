import { execFileSync, spawn } from "node:child_process";
import { closeSync, constants, openSync, readSync } from "node:fs";
import { connect } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { expect } from "chai";
import { launcher, longTimeLimits, workplace, type Serving } from "../../cli/command.js";
import { freePort } from "../../harness/free-port.js";
import { rowhouseFor } from "../../harness/index.js";
import { until } from "../../harness/until.js";

type Line = Readonly<Record<string, unknown>>;

const SECRET = "a-secret-of-at-least-thirty-two-bytes";

const TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

const linesOf = (server: Pick<Serving, "said">): readonly Line[] =>
  server
    .said()
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => JSON.parse(line) as Line);

const requestsOf = (server: Pick<Serving, "said">): readonly Line[] =>
  linesOf(server).filter(({ msg }) => msg === "request");

const shown = (text: string): readonly unknown[] =>
  linesOf({ said: () => text }).map(({ msg, error }) => [msg, error]);

/** The line of the request with this id, when it has been written. */
async function lineOf(server: Serving, id: string): Promise<Line> {
  const find = (): Line | undefined => requestsOf(server).find((line) => line["request_id"] === id);
  await until(() => find() !== undefined);
  return find() ?? {};
}

describe("the log of a server", () => {
  const place = workplace();
  const json = ["library.db", "--log-format", "json", "--secret", SECRET];

  before(() => place.database("library.db"));

  it("has one line of JSON for each request, with its id, actor, route, status, times and size", async () => {
    const server = await place.serve([...json, "--setting", "sql_timing", "on"]);
    const { stdout } = await place.run(["create-token", "ann", "--secret", SECRET]);
    const headers = { authorization: `Bearer ${stdout.trim()}`, "x-request-id": "first", traceparent: TRACE };

    const reply = await fetch(`${server.url}/library/t.json?name=one`, { headers });
    const body = await reply.text();
    const missing = await fetch(`${server.url}/nothing?token=hidden`, {
      headers: { "x-request-id": "second" },
    });

    expect(reply.headers.get("x-request-id")).to.equal("first");
    const { ms, sql_ms: sqlMs, time, ...line } = await lineOf(server, "first");
    expect(line).to.deep.equal({
      level: "info",
      pid: server.process.pid,
      request_id: "first",
      trace_id: "0af7651916cd43dd8448eb211c80319c",
      span_id: "b7ad6b7169203331",
      actor: "ann",
      method: "GET",
      path: "/library/t.json",
      route: "table",
      status: 200,
      bytes: Buffer.byteLength(body),
      cache: "miss",
      msg: "request",
    });
    expect(Number(ms)).to.be.above(0);
    expect(Number(sqlMs)).to.be.above(0);
    expect(Date.parse(String(time))).to.be.above(0);
    expect(missing.status).to.equal(404);
    const second = await lineOf(server, "second");
    expect([second["path"], second["status"], second["actor"]]).to.deep.equal(["/nothing", 404, null]);
  });

  it("has the id of a request that fails in the lines of its error, and its actor if only the body fails", async () => {
    place.write({
      "failing.mjs":
        "export default { register_routes: () => [{ name: 'body', path: '/body', target: 'instance', view: () => ({ status: 200, headers: {}, body: broken() }) }] };" +
        "async function* broken() { throw new Error('broken'); }",
      "failing.json": { plugins: ["./failing.mjs"] },
    });
    const server = await place.serve([...json, "-c", "failing.json"]);
    const { stdout } = await place.run(["create-token", "ann", "--secret", SECRET]);

    const headers = { authorization: `Bearer ${stdout.trim()}` };
    const reply = await fetch(`${server.url}/body`, { headers });

    const id = reply.headers.get("x-request-id") ?? "";
    const line = await lineOf(server, id);
    const [error] = linesOf(server).filter(({ msg }) => String(msg).startsWith("GET /body"));
    expect(error).to.include({ level: "error", request_id: id });
    expect([line["status"], line["actor"], line["route"]]).to.deep.equal([500, "ann", "body"]);
    expect(requestsOf(server)).to.have.length(1);
  });

  it("makes ids of its own for requests without a usable one", async () => {
    const server = await place.serve(json);
    const ids = await Promise.all(
      ["", "two words", "x".repeat(129)].map(async (id) => {
        const { headers } = await fetch(`${server.url}/library.json`, { headers: { "x-request-id": id } });
        return headers.get("x-request-id");
      }),
    );

    expect(new Set(ids).size).to.equal(3);
    for (const id of ids) expect(id).to.match(/^[\w-]{8}-\w+$/);
    await until(() => requestsOf(server).length === 3);
    expect(requestsOf(server).map((line) => line["request_id"])).to.have.members(ids);
  });

  it("shows replies that did not reach their end, and no successful probes", async () => {
    const script =
      "create table t (id integer primary key, name text); " +
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000) insert into t select i, hex(zeroblob(200)) from n";
    await place.database("large.db", script);
    const server = await place.serve(["large.db", "--log-format", "json"]);
    await fetch(`${server.url}/-/health`);

    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.write("GET /large/t.csv?_stream=on HTTP/1.1\r\nhost: a\r\nx-request-id: cut\r\n\r\n");
    await once(socket, "data");
    socket.destroy();

    const line = await lineOf(server, "cut");
    expect(line["incomplete"]).to.equal(true);
    expect(Number(line["bytes"])).to.be.within(1, 24_000_000);
    expect(requestsOf(server)).to.have.length(1);
  });

  it("is readable as text, without control characters of clients", async () => {
    const server = await place.serve(["library.db", "--secret", SECRET, "--setting", "sql_timing", "off"]);

    const { stdout } = await place.run(["create-token", "ann\u001b[31m\nGET", "--secret", SECRET]);
    await (await fetch(`${server.url}/library/t.json`)).text();
    await fetch(`${server.url}/nothing`, { headers: { authorization: `Bearer ${stdout.trim()}` } });

    await until(() => server.said().includes("/nothing"));
    const [, ...requests] = server.said().trim().split("\n");
    expect(requests[0]).to.match(/^GET \/library\/t\.json 200 [\d.]+ ms \d+ B, miss$/);
    expect(requests[1]).to.match(/^GET \/nothing 404 [\d.]+ ms \d+ B ann\\x1b\[31m\\x0aGET$/);
  });

  it("contains only warnings and errors with --quiet and --log-level", async () => {
    const quiet = await place.run(["library.db", "--log-level", "loud"]);
    const path = ["library.db", "--log-format", "json", "-p", "0"];
    place.write({
      "quiet.mjs":
        "export default { startup(rowhouse) { rowhouse.log.warn('careful'); rowhouse.log.info('fine'); rowhouse.log.error('broken', new Error('why')); setTimeout(() => process.kill(process.pid, 'SIGTERM'), 300); } };",
    });
    place.write({ "quiet.json": { plugins: ["./quiet.mjs"] } });

    const [warnings, errors] = await Promise.all([
      place.run([...path, "-c", "quiet.json", "--quiet"]),
      place.run([...path, "-c", "quiet.json", "--log-level", "error"]),
    ]);

    expect([quiet.code, quiet.stderr.includes("should be one of info, warn, error")]).to.deep.equal([
      2,
      true,
    ]);
    expect(shown(warnings.stderr)).to.deep.equal([
      ["careful", undefined],
      ["broken", "why"],
    ]);
    expect(shown(errors.stderr)).to.deep.equal([["broken", "why"]]);
  });

  const boom = {
    "boom.mjs":
      "export default { register_routes: () => ({ name: 'boom', path: '/-/boom', view: () => { throw new Error('boom '.repeat(2000)); } }) };",
    "boom.json": { plugins: ["./boom.mjs"] },
  };

  it("stops no server whose log is a pipe that is not read, and writes the lines when it is", async () => {
    place.write(boom);
    const path = join(place.folder, "log.fifo");
    execFileSync("mkfifo", [path]);
    const pipe = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    let read = "";
    const readMore = (): string => {
      const piece = Buffer.alloc(65_536);
      try {
        read += piece.toString("utf8", 0, readSync(pipe, piece));
      } catch {
        // Nothing is written.
      }
      return read;
    };
    const words = [launcher, ...json, "-c", "boom.json", "-p", "0"];
    const server = spawn("sh", ["-c", 'exec "$0" "$@" 2> log.fifo', process.execPath, ...words], {
      cwd: place.folder,
      stdio: "ignore",
    });
    try {
      await until(() => readMore().includes("Rowhouse running on"));
      const [, url = ""] = /running on (\S+)/.exec(read) ?? [];
      const signal = AbortSignal.timeout(20_000);
      for (let count = 0; count < 20; count += 1)
        expect((await fetch(`${url}/-/boom`, { signal })).status).to.equal(500);

      await until(() => linesOf({ said: readMore }).filter(({ level }) => level === "error").length === 20);
      await until(() => linesOf({ said: readMore }).filter(({ msg }) => msg === "request").length === 20);
    } finally {
      server.kill("SIGKILL");
      closeSync(pipe);
    }
  });

  it("stops no server whose log is a socket that is not read, nor its end", async () => {
    place.write(boom);
    const port = await freePort();
    const words = [launcher, ...json, "-c", "boom.json", "-p", String(port), "--workers", "2"];
    // Node gives its children sockets, as systemd does.
    const server = spawn(process.execPath, words, { cwd: place.folder, stdio: ["ignore", "ignore", "pipe"] });
    try {
      const url = `http://127.0.0.1:${port}/-/boom`;
      await until(() =>
        fetch(url).then(
          () => true,
          () => false,
        ),
      );
      const signal = AbortSignal.timeout(20_000);
      for (let count = 0; count < 40; count += 1) expect((await fetch(url, { signal })).status).to.equal(500);

      server.kill("SIGTERM");
      const [code] = (await once(server, "exit", { signal })) as [number];
      expect(code).to.equal(0);
    } finally {
      server.kill("SIGKILL");
    }
  });

  it("names slow statements without the values of parameters", async () => {
    const server = await place.serve([...json, ...longTimeLimits, "--setting", "slow_sql_ms", "1"]);
    const slow =
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000) select count(*), :who from n";

    const query = new URLSearchParams({ sql: slow, who: "Miss Marple" });
    expect((await fetch(`${server.url}/library.json?${query}`)).status).to.equal(200);

    await until(() => server.said().includes("A statement on library took"));
    const found = linesOf(server).find(({ msg }) => String(msg).includes(slow));
    expect([found?.["level"], found?.["database"]]).to.deep.equal(["warn", "library"]);
    expect(Number(found?.["sql_ms"])).to.be.above(0);
    expect(server.said()).to.not.include("Marple");
  });

  it("says which request a slow statement belongs to, if SQL is measured by request", async () => {
    const measured = ["--setting", "slow_sql_ms", "1", "--setting", "sql_timing", "on"];
    const server = await place.serve([...json, ...longTimeLimits, ...measured]);
    const slow =
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000) select count(*) from n";
    const path = `/library.json?${new URLSearchParams({ sql: slow })}`;

    const given = await fetch(`${server.url}${path}`, { headers: { "x-request-id": "mine" } });
    const own = await fetch(`${server.url}${path}&again=1`);

    await until(() => server.said().split("A statement on library took").length > 2);
    const ids = linesOf(server).flatMap((line) =>
      String(line["msg"]).includes(slow) ? [line["request_id"]] : [],
    );
    expect([given.status, own.status]).to.deep.equal([200, 200]);
    expect(ids).to.deep.equal(["mine", own.headers.get("x-request-id")]);
  });
});

describe("the header x-request-id", () => {
  it("is on replies of all kinds", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] } });
    const headers = { "x-request-id": "mine" };

    const first = await rowhouse.get("/library/books.json", { headers });
    const again = await rowhouse.get("/library/books.json", {
      headers: { ...headers, "if-none-match": String(first.headers.etag) },
    });
    const others = await Promise.all([
      rowhouse.get("/-/static/none", { headers }),
      rowhouse.post("/library/books/-/insert", { headers, json: { row: {} } }),
      rowhouse.request("OPTIONS", "/library", { headers }),
    ]);

    expect(again.status).to.equal(304);
    for (const reply of [first, again, ...others]) expect(reply.headers["x-request-id"]).to.equal("mine");
  });
});
