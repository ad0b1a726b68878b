import { spawn } from "node:child_process";
import { Agent, get as httpGet, type IncomingMessage } from "node:http";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { readReport } from "../../cli/serve/pid-file.js";
import { until } from "../harness/until.js";
import { workplace, type Ended, type Serving } from "./command.js";

const PID = ["--pid-file", "server.pid"];

const plugin = (word: string): string =>
  `import { word } from "./parts/word.mjs";
   export default {
     name: "greeting",
     startup: async (rowhouse) =>
       void (await rowhouse.addDatabase({ uri: "memory:", name: "kept", mutable: true })),
     register_routes: () => [
       { name: "greeting", path: "/-/greeting", view: () => ({ status: 200, headers: {}, body: word + " ${word}" }) },
     ],
   };`;

const wordPart = (word: string): string => `export const word = ${JSON.stringify(word)};`;

const COMMON = `module.exports = { name: "common", register_routes: () => [
  { name: "common", path: "/-/common", view: () => ({ status: 200, headers: {}, body: require("./words/common.cjs") }) },
] };`;

const config = (title: string, more = ""): string =>
  [
    "files: [a.db]",
    "pluginsDir: plugins",
    "templateDir: templates",
    "settings: { default_page_size: 3 }",
    `metadata: { title: ${title}, permissions: { create-table: true, insert-row: true } }`,
    more,
  ].join("\n");

const text = async ({ url }: Serving, path: string): Promise<string> => (await fetch(url + path)).text();

const post = (server: Serving, path: string, body: object): Promise<Response> =>
  fetch(server.url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

describe("a reload", function () {
  this.timeout(120_000);
  const place = workplace();
  let server: Serving;

  /** As an operator does it. */
  const reload = (): Promise<Ended> => place.run(["reload", "--no-config", ...PID]);
  /** Without the start of a second process. */
  const reloadBySignal = async (): Promise<string | null> => {
    const path = join(place.folder, "server.pid");
    const { reloads } = readReport(path) ?? { reloads: 0 };
    server.process.kill("SIGHUP");
    await until(() => (readReport(path)?.reloads ?? 0) > reloads);
    return readReport(path)?.problem ?? null;
  };

  before(async () => {
    const rows = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000)";
    await place.database(
      "a.db",
      `create table t (id integer primary key, name text); insert into t values (1, 'one');
       create table big as ${rows} select i, hex(zeroblob(100)) as filler from n;`,
    );
    await place.database("b.db");
    place.write({
      "rowhouse.yaml": config("Before"),
      "plugins/greeting.mjs": plugin("before"),
      "plugins/common/package.json": { name: "rowhouse-plugin-common", main: "index.cjs" },
      "plugins/common/index.cjs": COMMON,
      "plugins/parts/word.mjs": wordPart("said"),
      "plugins/common/words/common.cjs": "module.exports = 'common before';",
      "templates/_footer.html": "<p>Footer before</p>",
    });
    server = await place.serve([...PID, "--root"]);
  });

  it("that is requested during the start comes after it", async () => {
    place.write({
      "early/early.mjs": `if (!globalThis.sent) process.kill(process.pid, "SIGHUP");
        globalThis.sent = true;
        await new Promise((resolve) => setTimeout(resolve, 100));
        export default { name: "early" };`,
    });

    const early = await place.serve(["b.db", "--no-config", "--plugins-dir", "early"]);

    await until(() => early.said().includes("Reloaded"));
    expect((await early.stop()).code).to.equal(0);
  });

  it("reads configuration, metadata, templates and plugins again", async () => {
    expect(await text(server, "/-/greeting")).to.equal("said before");
    expect(await text(server, "/-/common")).to.equal("common before");
    expect(await text(server, "/"))
      .to.include("Before")
      .and.include("Footer before");
    const unchanged = await text(server, "/-/metadata.json");
    place.write({
      "rowhouse.yaml": config("After").replace("[a.db]", "[a.db, b.db]").replace("size: 3", "size: 4"),
      "plugins/greeting.mjs": plugin("after"),
      "plugins/parts/word.mjs": wordPart("wrote"),
      "plugins/common/words/common.cjs": "module.exports = 'common after';",
      "templates/_footer.html": "<p>Footer after</p>",
    });
    expect(await text(server, "/-/metadata.json")).to.equal(unchanged);

    const { code, stdout, stderr } = await reload();

    expect({ code, stdout, stderr }).to.deep.equal({ code: 0, stdout: "Reloaded\n", stderr: "" });
    expect(await text(server, "/-/greeting")).to.equal("wrote after");
    expect(await text(server, "/-/common")).to.equal("common after");
    expect(await text(server, "/"))
      .to.include("After")
      .and.include("Footer after")
      .and.not.include("Before");
    expect(await text(server, "/-/settings.json")).to.include('"default_page_size": 4');
    expect((await fetch(`${server.url}/b/t.json`)).status).to.equal(200);
    expect(server.said()).to.include("Reloaded: configuration, metadata, templates and plugins");
  });

  it("refuses no request, closes no connection and cuts no stream", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const sockets = new Set<unknown>();
    const outcomes: (number | string)[] = [];
    const ask = (path: string): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        httpGet(server.url + path, { agent }, (reply) => {
          sockets.add(reply.socket);
          reply.once("end", () => resolve(reply)).resume();
        }).once("error", reject);
      });
    const stream = await new Promise<IncomingMessage>((resolve) =>
      httpGet(`${server.url}/a/big.csv?_stream=on&_size=max`, resolve),
    );
    stream.pause();
    let ends = false;
    const asking = (async () => {
      for (; !ends;)
        outcomes.push(
          await ask("/a/t.json").then(
            ({ statusCode = 0 }) => statusCode,
            (error) => String(error),
          ),
        );
    })();
    for (let turn = 0; turn < 5; turn += 1) expect(await reloadBySignal()).to.equal(null);
    ends = true;
    await asking;
    let lines = 0;
    for await (const piece of stream) lines += String(piece).split("\n").length - 1;

    expect(lines).to.equal(200_001);
    expect(new Set(outcomes)).to.deep.equal(new Set([200]));
    expect(sockets).to.have.property("size", 1);
    agent.destroy();
  });

  it("keeps databases in memory, tokens, the link of --root and replies to repeated writes", async () => {
    const { stdout: token } = await place.run(["create-token", "root", "--secret", "unused"]);
    expect(token).to.include("rhtok_");
    const link = /http\S+auth-token\?token=\w+/.exec(server.printed())?.[0] ?? "";
    expect((await post(server, "/kept/-/create", { table: "t", row: { id: 1, name: "x" } })).status).to.equal(
      201,
    );
    const insert = (): Promise<Response> =>
      fetch(`${server.url}/a/t/-/insert`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": "over a reload" },
        body: JSON.stringify({ row: { name: "once" } }),
      });
    const first = await (await insert()).text();
    const signedIn = await fetch(link, { redirect: "manual" });
    const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";")[0] ?? "";

    expect(await reloadBySignal()).to.equal(null);

    expect(JSON.parse(await text(server, "/kept/t.json?_shape=array"))).to.deep.equal([
      { rowid: 1, id: 1, name: "x" },
    ]);
    expect((await post(server, "/kept/t/-/insert", { row: { id: 2 } })).status).to.equal(201);
    const again = await insert();
    expect(again.headers.get("idempotency-replayed")).to.equal("true");
    expect(await again.text()).to.equal(first);
    expect((await fetch(link, { redirect: "manual" })).status).to.equal(403);
    const actor = await (await fetch(`${server.url}/-/actor.json`, { headers: { cookie } })).json();
    expect(actor).to.deep.equal({ actor: { id: "root" } });
  });

  it("loses no write that is acknowledged meanwhile", async () => {
    const acknowledged: number[] = [];
    const problems: string[] = [];
    let ends = false;
    const writers = [0, 1, 2].map(async (writer) => {
      for (let turn = 0; !ends; turn += 1) {
        const id = 1_000 + turn * 3 + writer;
        const { status } = await post(server, "/a/t/-/insert", { row: { id, name: "w" } });
        if (status === 201) acknowledged.push(id);
        else problems.push(String(status));
      }
    });
    for (let turn = 0; turn < 3; turn += 1) expect(await reloadBySignal()).to.equal(null);
    ends = true;
    await Promise.all(writers);

    const stored = await text(server, "/a/t.json?_shape=arrayfirst&_size=max&id__gte=1000");
    expect(problems).to.deep.equal([]);
    expect(acknowledged.length).to.be.above(3);
    expect((JSON.parse(stored) as number[]).length).to.equal(Math.min(acknowledged.length, 1_000));
  });

  const BROKEN: Readonly<Record<string, readonly [files: Record<string, string>, reason: RegExp]>> = {
    "a configuration that can't be read": [
      { "rowhouse.yaml": "files: [" },
      /Could not read .*rowhouse\.yaml/,
    ],
    "a configuration file that is empty": [
      { "rowhouse.yaml": "" },
      /The configuration file rowhouse\.yaml is missing or empty/,
    ],
    "an unknown setting": [
      { "rowhouse.yaml": `files: [a.db]\nsettings: { no_such: 1 }` },
      /no_such is not a valid option/,
    ],
    "a file that is missing": [
      { "rowhouse.yaml": config("Broken").replace("a.db", "missing.db") },
      /missing\.db/,
    ],
    "a plugin that can't be loaded": [
      { "plugins/greeting.mjs": "export default {" },
      /greeting\.mjs could not be loaded.*greeting\.mjs:1/,
    ],
    "a plugin that fails at its start": [
      {
        "plugins/greeting.mjs":
          "export default { name: 'greeting', startup() { throw new Error('no luck'); } };",
      },
      /no luck/,
    ],
  };

  for (const [what, [files, reason]] of Object.entries(BROKEN)) {
    it(`changes nothing for ${what}, and says what is wrong`, async () => {
      const good = { "rowhouse.yaml": config("Good"), "plugins/greeting.mjs": plugin("good") };
      place.write(good);
      expect(await reloadBySignal()).to.equal(null);
      place.write(files);

      expect(await reloadBySignal()).to.match(reason);

      await until(() =>
        server
          .said()
          .split("\n")
          .some((line) => reason.test(line)),
      );
      expect(await text(server, "/-/greeting")).to.equal("wrote good");
      expect(await text(server, "/")).to.include("Good");
      place.write({ ...good, "plugins/greeting.mjs": plugin("mended") });
      expect(await reloadBySignal()).to.equal(null);
      expect(await text(server, "/-/greeting")).to.equal("wrote mended");
    });
  }

  it("that fails is a line in the format of the last configuration, and its report is private", async () => {
    place.write({ "rowhouse.yaml": config("Lines", "logFormat: json") });
    expect(await reloadBySignal()).to.equal(null);
    place.write({ "rowhouse.yaml": "" });
    const before = server.said().length;

    await reloadBySignal();
    await until(() => server.said().slice(before).includes("Nothing was reloaded"));

    const line = server
      .said()
      .slice(before)
      .split("\n")
      .find((one) => one.includes("Nothing was reloaded"));
    expect(() => JSON.parse(line ?? "") as unknown).not.to.throw();
    expect(statSync(join(place.folder, "server.pid.reload")).mode & 0o077).to.equal(0);
    place.write({ "rowhouse.yaml": config("Good") });
    expect(await reloadBySignal()).to.equal(null);
  });

  it("leaves nothing behind in the process, however often it is repeated", async () => {
    for (let count = 0; count < 12; count += 1) await reloadBySignal();

    expect(server.said()).not.to.include("MaxListenersExceededWarning");
  });

  it("that fails is reported by the command, with exit code 1", async () => {
    place.write({ "rowhouse.yaml": "files: [" });
    const { code, stdout, stderr } = await reload();

    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: "" });
    expect(stderr).to.include("Nothing was reloaded, the server continues as before: Could not read");
  });

  it("says what needs a restart", async () => {
    place.write({ "rowhouse.yaml": config("Good", "host: 127.0.0.2") });
    expect(await reloadBySignal()).to.equal(null);

    expect(server.said()).to.include("A reload can't change host: restart the server");
  });

  it("is not sent to another process, and finds no server that has ended", async () => {
    const editor = spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)", "rowhouse.yaml"]);
    place.write({ "other.pid": `${editor.pid}\n` });
    const other = await place.run(["reload", "--no-config", "--pid-file", "other.pid"]);
    const isEditing = editor.signalCode === null && editor.kill();
    const none = await place.run(["reload", "--no-config"]);
    expect(Number(readFileSync(join(place.folder, "server.pid"), "utf8"))).to.equal(server.process.pid);
    const ended = await server.stop();
    const gone = await reload();

    expect(isEditing).to.equal(true);
    expect([other.code, none.code, gone.code, ended.code]).to.deep.equal([1, 2, 1, 0]);
    expect(other.stderr).to.include("no longer runs");
    expect(none.stderr).to.include("Give its --pid-file");
    expect(gone.stderr).to.include("No server has written its process id to");
    expect(existsSync(join(place.folder, "server.pid"))).to.equal(false);
    expect(existsSync(join(place.folder, "server.pid.reload"))).to.equal(false);
  });
});
