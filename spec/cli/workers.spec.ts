import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { openRaw } from "../harness/raw-sqlite.js";
import { until } from "../harness/until.js";
import { workplace, type Ended, type Serving } from "./command.js";
import { stopOneWorker } from "./hanging-worker.js";

const SECRET = "a secret of at least thirty-two bytes for workers";
const TABLE =
  "create table t (id integer primary key, name text); insert into t values (1, 'one'), (2, 'two');";
const MAY_WRITE = {
  databases: {
    two: { permissions: { "insert-row": true } },
    "kept rows": { permissions: { "create-table": true, "insert-row": true } },
  },
};
/** Counts the requests of each process, so that a spec can reach all of them. */
const PLUGIN = `
export default { name: "whoami",
  intercept_request: (_rowhouse, { request }) =>
    void (request.path === "/two.json" && process.stderr.write("A read begins\\n")),
  startup: async (rowhouse) => void (await rowhouse.addDatabase({ uri: "memory:", name: "kept rows", mutable: true })),
  register_routes: () => [
  { name: "whoami", path: "/-/whoami", view: () => ({ status: 200, headers: {}, body: String(process.pid) }) },
  { name: "whowrites", method: "POST", path: "/-/whowrites", view: ({ request }) =>
    ({ status: 200, headers: {}, body: JSON.stringify({ pid: process.pid, from: request.remoteAddress }) }) },
  { name: "slow-write", method: "POST", path: "/-/slow-write", view: async () => {
    process.stderr.write("A write begins\\n");
    await new Promise((resolve) => setTimeout(resolve, 1700));
    return { status: 200, headers: {}, body: "written" };
  } },
] };`;

/** Starts slowly while there is a file `slow`. */
const SLOW = `
import { existsSync } from "node:fs";
export default { name: "slow", startup: async () => {
  if (!existsSync("slow")) return;
  process.stderr.write("A slow start\\n");
  await new Promise((resolve) => setTimeout(resolve, 1500));
} };`;

/** Each request has a connection of its own: the first process gives connections to the workers in turn. */
const alone = { connection: "close" };

const insert = async (
  server: Serving,
  row: object,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(`${server.url}/two/t/-/insert`, {
    method: "POST",
    headers: { ...alone, "content-type": "application/json", ...headers },
    body: JSON.stringify({ row }),
  });

const text = async (server: Serving, path: string, init: RequestInit = {}): Promise<string> => {
  const headers = { ...alone, ...(init.headers as Record<string, string> | undefined) };
  return (await fetch(server.url + path, { ...init, headers })).text();
};

const insertOrNull = async (server: Serving, name: string): Promise<number | null> =>
  insert(server, { name }).then(
    ({ status }) => status,
    () => null,
  );

async function readers(server: Serving): Promise<ReadonlySet<string>> {
  const pids = new Set<string>();
  await until(async () => pids.add(await text(server, "/-/whoami")).size === 2);
  return pids;
}

const writerOf = async (server: Serving): Promise<number> => {
  const reply = await text(server, "/-/whowrites", {
    method: "POST",
    headers: { authorization: "Bearer x" },
  });
  return (JSON.parse(reply) as { readonly pid: number }).pid;
};

describe("--workers", function () {
  this.timeout(120_000);
  const place = workplace();
  const running: Serving[] = [];
  let count = 0;
  // It takes half a minute, in which the other tests run.
  let untilReplaced: () => Promise<void>;
  before(async () => (untilReplaced = await stopOneWorker(place)));

  async function serve(...words: readonly string[]): Promise<Serving> {
    const name = `two${(count += 1)}`;
    await place.database(`${name}/two.db`, TABLE);
    place.write({ "plugins/whoami.mjs": PLUGIN, "metadata.json": MAY_WRITE });
    const fixed = ["--plugins-dir", "plugins", "-m", "metadata.json", "--no-config"];
    const server = await place.serve([`${name}/two.db`, ...fixed, "--workers", "2", ...words]);
    running.push(server);
    return server;
  }

  afterEach(async () => {
    await Promise.all(running.splice(0).map((server) => server.stop()));
  });

  it("answers reads from all processes, and writes from one, whichever gets the connection", async () => {
    const server = await serve();
    const pids = await readers(server);
    const writers = new Set<number>();
    for (let turn = 0; turn < 6; turn += 1) writers.add(await writerOf(server));

    expect(pids).not.to.include(String(server.process.pid));
    expect([...writers]).to.have.length(1);
    expect(pids).to.include(String([...writers][0]));
  });

  it("tells the worker that writes who the client is, and believes no client that says so", async () => {
    const server = await serve();
    const said = await Promise.all(
      [1, 2, 3, 4].map(() =>
        text(server, "/-/whowrites", {
          method: "POST",
          headers: { authorization: "Bearer x", "x-rowhouse-client-address": "10.9.8.7" },
        }),
      ),
    );

    expect(said.map((one) => (JSON.parse(one) as { readonly from: string }).from)).to.deep.equal(
      said.map(() => "127.0.0.1"),
    );
  });

  it("shows a row that was written on every worker at once", async () => {
    const server = await serve();
    await readers(server);
    for (let id = 3; id < 15; id += 1) {
      expect((await insert(server, { id, name: "more" })).status).to.equal(201);
      for (let turn = 0; turn < 2; turn += 1) {
        const { rows } = JSON.parse(await text(server, "/two/t.json?_shape=arrays&_nocount=1")) as {
          rows: unknown[];
        };
        expect(rows).to.have.length(id);
      }
    }
  });

  it("makes backups in one process, and in another one after that has ended", async () => {
    await place.database("saved.db", TABLE);
    mkdirSync(join(place.folder, "backups"));
    place.write({
      "plugins/whoami.mjs": PLUGIN,
      "backup.json": {
        files: ["saved.db"],
        pluginConfig: { backup: { folder: "backups", every: "1s" } },
      },
    });
    const words = ["-c", "backup.json", "--plugins-dir", "plugins", "--workers", "2"];
    const server = await place.serve([...words, "--log-format", "json"]);
    running.push(server);
    const backups = (): readonly string[] => server.said().match(/.*saved was backed up.*/g) ?? [];
    const processes = (): ReadonlySet<unknown> =>
      new Set(backups().map((line) => (JSON.parse(line) as { readonly pid: number }).pid));
    await readers(server);
    const writer = await writerOf(server);
    const begun = backups().length;
    await until(() => backups().length >= begun + 3);

    expect([...processes()]).to.deep.equal([writer]);

    process.kill(writer, "SIGKILL");
    await until(() => processes().size > 1);
  });

  it("serves the same address after all workers have ended at once", async () => {
    const server = await serve();
    for (const worker of await readers(server)) process.kill(Number(worker), "SIGKILL");
    await until(() => (server.said().match(/is replaced/g) ?? []).length === 2);

    let id = 100;
    const isStored = async (): Promise<boolean> => (await insert(server, { id: (id += 1) })).status === 201;
    await until(() => isStored().catch(() => false));
  });

  it("performs a write once for each Idempotency-Key", async () => {
    const server = await serve();
    const replies = await Promise.all(
      Array.from({ length: 6 }, () =>
        insert(server, { name: "once" }, { "idempotency-key": "the-same-key" }),
      ),
    );
    const raw = await openRaw(join(place.folder, `two${count}/two.db`));
    const rows = await raw.all("select * from t where name = 'once'");
    await raw.close();

    expect(new Set(replies.map(({ status }) => status))).to.deep.equal(new Set([201]));
    expect(rows).to.have.length(1);
  });

  it("has one database in memory, not one for each process", async () => {
    const server = await serve();
    const made = await fetch(`${server.url}/kept+rows/-/create`, {
      method: "POST",
      headers: { ...alone, "content-type": "application/json" },
      body: JSON.stringify({ table: "t", row: { id: 1 } }),
    });
    const pages = await Promise.all([1, 2, 3, 4].map(() => text(server, "/kept+rows/t.json?_shape=array")));

    expect(made.status).to.equal(201);
    expect(new Set(pages)).to.have.property("size", 1);
    expect(JSON.parse(pages[0] ?? "")).to.deep.equal([{ rowid: 1, id: 1 }]);
  });

  it("signs in as root once with the printed link, and every worker accepts the cookie", async () => {
    const server = await serve("--root");
    const printed = (): string => /http\S+auth-token\?token=\w+/.exec(server.printed())?.[0] ?? "";
    await until(() => printed() !== "");
    const link = new URL(printed());
    const open = () =>
      fetch(server.url + link.pathname + link.search, { redirect: "manual", headers: alone });
    const replies = [await open(), await open(), await open()];
    const cookie = (replies[0]?.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    const actors = await Promise.all(
      [1, 2, 3, 4].map(() => text(server, "/-/actor.json", { headers: { cookie } })),
    );

    expect(replies.map(({ status }) => status)).to.deep.equal([302, 403, 403]);
    for (const actor of actors) expect(JSON.parse(actor)).to.deep.equal({ actor: { id: "root" } });
  });

  it("replaces a worker that dies, the one that writes too, and refuses no connection meanwhile", async () => {
    const server = await serve();
    const before = await readers(server);
    const refused: string[] = [];
    let asks = true;
    const asking = (async () => {
      for (; asks; await sleep(1))
        await connected(Number(new URL(server.url).port)).catch((error: Error) =>
          refused.push(error.message),
        );
    })();
    for (let turn = 0; turn < 2; turn += 1) {
      const writer = await writerOf(server);
      process.kill(writer, "SIGKILL");
      await until(async () => (await insertOrNull(server, `after ${turn}`)) === 201);
      await until(async () => (await writerOf(server).catch(() => writer)) !== writer);
      // Connections are refused only while there is no worker at all, so the next one dies after this was replaced.
      await until(async () =>
        readers(server)
          .then(() => true)
          .catch(() => false),
      );
    }
    let after: ReadonlySet<string> = before;
    await until(async () => {
      after = await readers(server).catch(() => before);
      return [...after].every((pid) => !before.has(pid));
    });
    asks = false;
    await asking;

    expect(after).to.have.property("size", 2);
    expect(refused).to.deep.equal([]);
    expect(server.said()).to.include("ended (SIGKILL) and is replaced");
  });

  it("closes the connection that a worker was given and has not accepted when it dies", async () => {
    const server = await serve();
    const [pid] = [...(await readers(server))].map(Number);
    const answers: string[] = [];
    process.kill(pid ?? 0, "SIGSTOP");
    const asking = [1, 2, 3].map(async () =>
      answers.push(
        await text(server, "/-/whoami").then(
          () => "answered",
          () => "closed",
        ),
      ),
    );
    await until(() => answers.length === 2);

    process.kill(pid ?? 0, "SIGKILL");
    await Promise.all(asking);

    expect(answers).to.deep.equal(["answered", "answered", "closed"]);
  }).timeout(30_000);

  it("ends at SIGTERM after the requests that run, of all workers, and leaves nothing behind", async () => {
    const server = await serve(
      "--setting",
      "shutdown_grace_ms",
      "60000",
      "--setting",
      "sql_time_limit_ms",
      "60000",
    );
    const pids = await readers(server);
    const slow =
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 600000) select count(*) from n";
    const running = [1, 2, 3, 4].map(() =>
      text(server, `/two.json?sql=${encodeURIComponent(slow)}&_shape=array`),
    );
    await until(() => server.said().split("A read begins").length > running.length);
    const ended = server.stop();

    for (const reply of await Promise.all(running)) expect(reply).to.include("600000");
    expect((await ended).code).to.equal(0);
    for (const pid of pids) expect(() => process.kill(Number(pid), 0)).to.throw("ESRCH");
  });

  it("lets writes run for most of the grace period, whichever worker has the connection", async () => {
    const server = await serve("--setting", "shutdown_grace_ms", "3000");
    const headers = { authorization: "Bearer x" };
    const writes = [1, 2, 3, 4].map(() => text(server, "/-/slow-write", { method: "POST", headers }));
    await until(() => server.said().split("A write begins").length > writes.length);
    const ended = server.stop();

    expect(await Promise.all(writes)).to.deep.equal(Array(writes.length).fill("written"));
    expect((await ended).code).to.equal(0);
  });

  it("ends the workers when the first process is killed", async () => {
    const temporary = join(place.folder, "temporary");
    mkdirSync(temporary);
    place.write({ "plugins/whoami.mjs": PLUGIN });
    const words = ["--workers", "2", "--plugins-dir", "plugins", "--no-config"];
    const server = await place.serve(words, { TMPDIR: temporary });
    const pids = await readers(server);
    expect(readdirSync(temporary).join()).to.match(/^rowhouse-workers-\w+-\d+-\w+$/);
    const [name = ""] = readdirSync(temporary);
    await server.stop("SIGKILL");
    await until(async () => [...pids].every((pid) => !isAlive(Number(pid))));
    expect(readdirSync(temporary)).to.deep.equal([]);

    // As if the workers had been killed too: the next start removes the folder.
    mkdirSync(join(temporary, name));
    await place.run(["create-token", "ann", "--secret", "s"], { TMPDIR: temporary });
    expect(readdirSync(temporary)).to.deep.equal([]);
  });

  it("prints each message of the start once, and the error of a start that fails", async () => {
    const server = await serve("--secret", "short");
    const lines = server
      .said()
      .split("\n")
      .filter((line) => line.includes("Warning:"));
    const { code, stderr } = await place.run(["missing.db", "--workers", "2", "-p", "0"]);

    expect(lines.filter((line) => line.includes("shorter than"))).to.have.length(1);
    expect(new Set(lines)).to.have.property("size", lines.length);
    expect(code).to.equal(1);
    expect(stderr.match(/missing\.db/g)).to.have.length(1);
  });

  it("reloads one worker after the other, none if the first one can't, and keeps databases in memory", async () => {
    const server = await serve("--pid-file", "workers.pid");
    const before = await readers(server);
    const made = await fetch(`${server.url}/kept+rows/-/create`, {
      method: "POST",
      headers: { ...alone, "content-type": "application/json" },
      body: JSON.stringify({ table: "t", row: { id: 1 } }),
    });
    const titles = (): Promise<Set<string>> =>
      Promise.all([1, 2, 3, 4].map(() => text(server, "/-/metadata.json"))).then((all) => new Set(all));
    const reload = (): Promise<Ended> => place.run(["reload", "--pid-file", "workers.pid", "--no-config"]);
    place.write({ "metadata.json": { ...MAY_WRITE, title: "Reloaded" } });
    const good = await reload();
    const shown = await titles();
    place.write({ "metadata.json": "{" });
    const bad = await reload();

    expect([made.status, good.code, bad.code]).to.deep.equal([201, 0, 1]);
    expect(bad.stderr).to.include("Metadata is not valid JSON or YAML");
    expect(shown).to.have.property("size", 1);
    expect([...shown][0]).to.include("Reloaded");
    expect(await titles()).to.deep.equal(shown);
    expect(await readers(server)).to.deep.equal(before);
    expect(JSON.parse(await text(server, "/kept+rows/t.json?_shape=array"))).to.deep.equal([
      { rowid: 1, id: 1 },
    ]);
  });

  it("reloads the worker that is starting too, which may have read the configuration of before", async () => {
    await place.database("late.db");
    place.write({
      "late.yaml": "settings: { default_page_size: 1 }",
      "late/whoami.mjs": PLUGIN,
      "late/slow.mjs": SLOW,
    });
    const late = await place.serve(["late.db", "-c", "late.yaml", "--plugins-dir", "late", "--workers", "2"]);
    const pids = await readers(late);
    place.write({ slow: "" });
    process.kill(Number([...pids][0]), "SIGKILL");
    await until(() => late.said().includes("A slow start"));
    place.write({ "late.yaml": "settings: { default_page_size: 2 }" });

    late.process.kill("SIGHUP");
    rmSync(join(place.folder, "slow"));
    await until(() => late.said().includes("Reloaded"));
    await readers(late);

    const sizes = new Set<string>();
    for (let turn = 0; turn < 6; turn += 1)
      sizes.add(/"default_page_size": \d+/.exec(await text(late, "/-/settings.json"))?.[0] ?? "");
    expect([...sizes]).to.deep.equal(['"default_page_size": 2']);
  });

  it("do not start with a folder for temporary files whose path is too long for a socket", async () => {
    const long = join(place.folder, "x".repeat(90));
    mkdirSync(long);

    const { stderr, code } = await place.call(["--memory", "--no-config", "--workers", "2", "-p", "0"], {
      TMPDIR: long,
    });

    expect(stderr).to.match(
      /^Error: Could not listen on .+\/writer: the path of a socket has at most \d+ bytes\. Set TMPDIR to a shorter path\n$/,
    );
    expect(code).to.equal(1);
    expect(readdirSync(long)).to.deep.equal([]);
  });

  it("is one process for --get, and a number or auto", async () => {
    await place.database("two.db", TABLE);
    const { stdout } = await place.run(["two.db", "--workers", "2", "--get", "/two/t.json?_shape=array"]);
    const wrong = await place.run(["two.db", "--workers", "none"]);

    expect(JSON.parse(stdout)).to.have.length(2);
    expect(wrong.code).to.equal(2);
    expect(wrong.stderr).to.include("'none' should be auto or a number from 1 to 256");
  });

  it("shares a secret that was given", async () => {
    const server = await serve("--secret", SECRET);
    const { stdout } = await place.run(["create-token", "root", "--secret", SECRET]);
    const actors = await Promise.all(
      [1, 2, 3, 4].map(() =>
        text(server, "/-/actor.json", { headers: { authorization: `Bearer ${stdout.trim()}` } }),
      ),
    );

    for (const actor of actors) expect(actor).to.include('"root"');
  });

  it("replaces a worker that hangs", () => untilReplaced());
});

/** Resolves if the connection is accepted. A reset afterwards is the end of a worker. */
const connected = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", reject);
  });

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
