import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { launcher, workplace, type Serving } from "../../cli/command.js";
import { openRaw } from "../../harness/raw-sqlite.js";
import { until } from "../../harness/until.js";

const SECRET = "a-secret-of-at-least-thirty-two-bytes";
/** 6 MB, so that a copy takes several steps. */
const FILLED =
  "create table filler (id integer primary key, data blob); " +
  "with recursive n(i) as (select 1 union all select i + 1 from n where i < 6000) insert into filler select i, randomblob(1000) from n; " +
  "create table log (id integer primary key, text text);";

const everySecond = (folder: string): object => ({ backup: { folder, every: "1s" } });

/** Inserts until it is stopped; `acknowledged` are the keys that the server has answered. */
function insertInto(server: Serving, database: string, token: string) {
  const acknowledged: number[] = [];
  let isStopped = false;
  const insert = async (): Promise<void> => {
    while (!isStopped) {
      const reply = await fetch(`${server.url}/${database}/log/-/insert`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ row: { text: "a line" }, return: true }),
      });
      if (reply.status !== 201) continue;
      const { rows } = (await reply.json()) as { rows: { id: number }[] };
      acknowledged.push(...rows.map(({ id }) => id));
    }
  };
  const inserting = Promise.all([insert(), insert(), insert()]);
  return {
    acknowledged,
    stop: async () => {
      isStopped = true;
      await inserting;
    },
  };
}

describe("rowhouse backup and rowhouse restore", () => {
  const place = workplace();
  const at = (path: string): string => join(place.folder, path);

  async function query(path: string, sql: string): Promise<Record<string, unknown>[]> {
    const database = await openRaw(at(path));
    try {
      return await database.all(sql);
    } finally {
      await database.close();
    }
  }

  for (const mode of ["wal", "delete"]) {
    it(`keep every row that was acknowledged before, under writing load with journal_mode ${mode}`, async () => {
      await place.database(`${mode}.db`, `pragma journal_mode = ${mode}; ${FILLED}`);
      const server = await place.serve([`${mode}.db`, "--secret", SECRET]);
      const token = (await place.run(["create-token", "root", "--secret", SECRET])).stdout.trim();
      const writing = insertInto(server, mode, token);
      await until(() => writing.acknowledged.length > 20);

      const before = [...writing.acknowledged];
      const made = await place.run(["backup", `${mode}.db`, `${mode}-copy.db`, "--rate", "20"]);
      const during = writing.acknowledged.length - before.length;
      await writing.stop();
      const restored = await place.run(["restore", `${mode}-copy.db`, `${mode}-restored.db`]);

      expect([made.code, made.stderr]).to.deep.equal([0, ""]);
      expect(during).to.be.above(0);
      expect([restored.code, restored.stderr]).to.deep.equal([0, ""]);
      const rows = await query(`${mode}-restored.db`, "select id from log");
      const kept = new Set(rows.map(({ id }) => id));
      expect(before.filter((id) => !kept.has(id))).to.deep.equal([]);
      expect(await query(`${mode}-restored.db`, "select count(*) as n from filler")).to.deep.equal([
        { n: 6000 },
      ]);
      expect(await query(`${mode}-restored.db`, "pragma journal_mode")).to.deep.equal([
        { journal_mode: mode },
      ]);
    });
  }

  it("let only those read a copy who can read the file", async () => {
    await place.database("private.db", "create table log (id integer primary key)");
    chmodSync(at("private.db"), 0o600);
    await place.call(["backup", "private.db", "private-copy.db"]);
    await place.call(["restore", "private-copy.db", "private-restored.db"]);

    const modes = ["private-copy.db", "private-restored.db"].map((path) => statSync(at(path)).mode & 0o777);
    expect(modes).to.deep.equal([0o600, 0o600]);
  });

  it("keep the newest files of a folder, each complete under its name", async () => {
    await place.database("kept.db");
    mkdirSync(at("backups"));
    writeFileSync(at("backups/kept-notes.db"), "not a backup");

    for (let count = 0; count < 3; count += 1) {
      const { code, stdout } = await place.call(["backup", "kept.db", "backups", "--keep", "2"]);
      expect([code, existsSync(stdout.trim())]).to.deep.equal([0, true]);
    }

    const names = readdirSync(at("backups"));
    expect(names.filter((name) => /^kept-\d{8}T\d{6}\.\d{3}Z\.db$/.test(name))).to.have.length(2);
    expect(names).to.have.length(3);
  });

  it("have the name of their database, whose letters may be of any script", async () => {
    const name =
      "\u0434\u0430\u043d\u043d\u044b\u0435 \u043c\u0430\u0433\u0430\u0437\u0438\u043d\u0430, 100 % ".repeat(
        3,
      ) + "!";
    await place.database(`${name}.db`);
    mkdirSync(at("named"));

    const { code, stderr } = await place.call(["backup", `${name}.db`, "named", "--keep", "1"]);

    expect([code, stderr]).to.deep.equal([0, ""]);
    const encoded = name.replaceAll("%", "%25").replaceAll(" ", "%20").replaceAll(",", "%2C");
    expect(readdirSync(at("named")).map((file) => file.slice(0, -24))).to.deep.equal([encoded]);
  });

  it("of which only a part was written before a kill are removed from a folder after a day, by --keep", async () => {
    await place.database("killed.db");
    mkdirSync(at("killed"));
    const parts = ["killed", "other"].flatMap((name) =>
      ["partial-1", "partial-2", "partial-2-journal"].map(
        (part) => `${name}-20260101T000000.000Z.db.${part}`,
      ),
    );
    const yesterday = new Date(Date.now() - 86_500_000);
    for (const part of parts) {
      writeFileSync(at(`killed/${part}`), "a part");
      if (!part.endsWith("partial-1")) utimesSync(at(`killed/${part}`), yesterday, yesterday);
    }

    const { code } = await place.run(["backup", "killed.db", "killed", "--keep", "2"]);

    expect(code).to.equal(0);
    const left = readdirSync(at("killed")).filter((name) => name.includes("partial"));
    expect(left).to.have.members(
      parts.filter((part) => part.startsWith("other") || part.endsWith("partial-1")),
    );
  });

  it("repeat with --every until a signal", async () => {
    await place.database("often.db");
    mkdirSync(at("often"));
    const running = place.run(["backup", "often.db", "often", "--every", "1s", "--keep", "1"]);

    await until(() => readdirSync(at("often")).length > 0);
    const [first] = readdirSync(at("often"));
    await until(() => readdirSync(at("often")).some((name) => name !== first && name.endsWith("Z.db")));
    place.killAll("SIGTERM");

    expect((await running).code).to.equal(0);
  });

  it("that fail after the first one are logged, and tried again at their next time", async () => {
    await place.database("later.db");
    mkdirSync(at("away"));
    const log = openSync(at("later.log"), "w");
    const words = [launcher, "backup", "later.db", "away", "--every", "1s"];
    const command = spawn(process.execPath, words, { cwd: at("."), stdio: ["ignore", "ignore", log] });
    const ended = once(command, "exit");
    const isBackedUp = (): boolean => readdirSync(at("away")).some((name) => name.endsWith("Z.db"));

    await until(isBackedUp);
    renameSync(at("away"), at("elsewhere"));
    await until(() => {
      expect(command.exitCode).to.equal(null);
      return readFileSync(at("later.log"), "utf8").includes(
        "later.db could not be backed up: There is no folder",
      );
    });
    mkdirSync(at("away"));
    await until(isBackedUp);
    command.kill("SIGTERM");

    expect(await ended).to.deep.equal([0, null]);
    closeSync(log);
  });

  it("restore into the file of a running server, which serves the restored rows", async () => {
    await place.database("live.db");
    await place.run(["backup", "live.db", "live-copy.db"]);
    const server = await place.serve(["live.db"]);
    await place.database("live.db", "delete from t where id = 1");
    const names = async (): Promise<unknown> =>
      (await fetch(`${server.url}/live/t.json?_shape=arrayfirst&_col=name&_ttl=0`)).json();
    expect(await names()).to.have.length(1);

    const refused = await place.run(["restore", "live-copy.db", "live.db"]);
    const restored = await place.run(["restore", "live-copy.db", "live.db", "--overwrite"]);

    expect([refused.code, refused.stderr]).to.deep.include(2);
    expect(refused.stderr).to.include("The file live.db exists. To replace its content, use --overwrite");
    expect([restored.code, restored.stdout]).to.deep.equal([0, "live.db has the content of live-copy.db\n"]);
    expect(await names()).to.have.length(2);
  });

  it("refuse to restore a file from itself", async () => {
    await place.database("itself.db", FILLED);

    const { code, stderr } = await place.call(["restore", "itself.db", "./itself.db", "--overwrite"]);

    expect(code).to.equal(2);
    expect(stderr).to.include("./itself.db is the backup itself. Name the file to restore");
  });

  it("leave the database as it is if the backup is damaged", async () => {
    await place.database("sound.db", FILLED);
    await place.call(["backup", "sound.db", "damaged.db"]);
    truncateSync(at("damaged.db"), statSync(at("damaged.db")).size - 40_960);

    const { code, stderr } = await place.call(["restore", "damaged.db", "sound.db", "--overwrite"]);

    expect(code).to.equal(1);
    expect(stderr).to.match(/^Error: .+/);
    expect(await query("sound.db", "select count(*) as n from filler")).to.deep.equal([{ n: 6000 }]);
  });

  it("leave the database as it is if the end of the backup is missing", async () => {
    await place.database("entire.db", FILLED);
    await place.call(["backup", "entire.db", "cut.db"]);
    truncateSync(at("cut.db"), statSync(at("cut.db")).size - 100);

    const { code, stderr } = await place.call(["restore", "cut.db", "entire.db", "--overwrite"]);

    expect([code, stderr]).to.deep.equal([1, "Error: cut.db is damaged: its end is missing\n"]);
    expect(await query("entire.db", "select count(*) as n from filler")).to.deep.equal([{ n: 6000 }]);
  });

  it("leave the database as it is if the backup is empty", async () => {
    await place.database("whole.db", FILLED);
    writeFileSync(at("empty.db"), "");

    const { code, stderr } = await place.call(["restore", "empty.db", "whole.db", "--overwrite"]);

    expect([code, stderr]).to.deep.equal([1, "Error: empty.db is empty\n"]);
    expect(await query("whole.db", "select count(*) as n from filler")).to.deep.equal([{ n: 6000 }]);
  });

  it("create no file if the backup can't be restored", async () => {
    writeFileSync(at("notes.txt"), "not a backup");

    const { code, stderr } = await place.call(["restore", "notes.txt", "fresh.db"]);

    expect([code, stderr]).to.deep.equal([1, "Error: notes.txt: file is not a database\n"]);
    expect(readdirSync(place.folder).filter((name) => name.startsWith("fresh"))).to.deep.equal([]);
  });

  it("refuse arguments that make no sense", async () => {
    await place.database("plain.db");
    const ended = await Promise.all([
      place.call(["backup", "none.db", "copy.db"]),
      place.call(["backup", "plain.db", "plain.db"]),
      place.call(["backup", "plain.db", "none", "--every", "1h"]),
      place.call(["backup", "plain.db", "none", "--keep", "2"]),
      place.call(["backup", "plain.db", ".", "--every", "hourly"]),
      place.call(["backup", "plain.db", "missing/copy.db"]),
      place.call(["backup", "plain.db", "missing/"]),
      place.call(["restore", "none.db", "plain.db"]),
    ]);

    expect(ended.map(({ stderr }) => /Error: (.*)/.exec(stderr)?.[1])).to.deep.equal([
      "Invalid value for 'DATABASE': Path 'none.db' does not exist.",
      `The file ${at("plain.db")} exists`,
      "--every needs a folder, and none does not exist",
      "--keep needs a folder, and none does not exist",
      "'hourly' is no duration: write 90s, 15m, 1h or 1d, at most 24d",
      `The folder ${at("missing")} does not exist`,
      "The folder missing/ does not exist",
      "Invalid value for 'BACKUP': Path 'none.db' does not exist.",
    ]);
  });

  it("run while serving, as configured", async () => {
    await place.database("served.db");
    mkdirSync(at("while-serving"));
    place.write({
      "site.json": {
        files: ["served.db"],
        pluginConfig: { backup: { folder: "while-serving", every: "1s", keep: 2 } },
      },
    });
    place.write({
      "wrong.json": { files: ["served.db"], pluginConfig: { backup: { folder: "nowhere", every: "1s" } } },
    });
    const wrong = await place.run(["-c", "wrong.json", "-p", "0"]);
    const server = await place.serve(["-c", "site.json"]);

    await until(() => readdirSync(at("while-serving")).length > 0);

    expect([wrong.code, wrong.stderr]).to.deep.equal([
      1,
      "Error: The folder for backups does not exist: nowhere\n",
    ]);
    await until(() => server.said().includes("served was backed up to while-serving/served-"));
    expect((await server.stop()).code).to.equal(0);
    expect(readdirSync(at("while-serving")).filter((name) => !name.endsWith("Z.db"))).to.deep.equal([]);
  });

  it("continue while serving after the clock was set back, and the newest remains", async () => {
    await place.database("back.db");
    mkdirSync(at("back"));
    place.write({
      "clock.mjs": `const now = Date.now;
        export default { register_routes: () => ({ name: "back", path: "/-/back", view: () => {
          Date.now = () => now() - 86400000;
          globalThis.Date = class extends Date { constructor(time = Date.now()) { super(time); } };
          return { status: 200, headers: {}, body: "" };
        } }) };`,
      "back.json": {
        files: ["back.db"],
        plugins: ["./clock.mjs"],
        pluginConfig: { backup: { folder: "back", every: "1s", keep: 1 } },
      },
    });
    const server = await place.serve(["-c", "back.json"]);
    const backups = (): readonly string[] => readdirSync(at("back")).filter((name) => name.endsWith("Z.db"));
    await until(() => backups().length === 1);

    const [before = ""] = backups();
    await fetch(`${server.url}/-/back`);

    // The new one is there before the other one is removed.
    await until(() => backups().length === 1 && (backups()[0] ?? before) < before);
    expect((await server.stop()).code).to.equal(0);
  });

  it("continue after a restart where they were: what is due is made, and nothing twice", async () => {
    await place.database("first.db");
    await place.database("second.db");
    mkdirSync(at("hourly"));
    place.write({
      "hourly.json": {
        files: ["first.db", "second.db"],
        pluginConfig: { backup: { folder: "hourly", every: "1h" } },
      },
    });
    const backups = (): readonly string[] =>
      readdirSync(at("hourly")).filter((name) => name.endsWith("Z.db"));
    const before = await place.serve(["-c", "hourly.json"]);
    await until(() => backups().length === 2);
    await before.stop();
    const [first = "", second = ""] = backups();
    renameSync(at(join("hourly", second)), at("hourly/second-20200101T000000.000Z.db"));

    const after = await place.serve(["-c", "hourly.json"]);
    await until(() => backups().length === 3);
    await after.stop();

    expect(backups()[0]).to.equal(first);
    expect(
      backups()
        .slice(1)
        .every((name) => name.startsWith("second-")),
    ).to.equal(true);
  });

  it("do not begin while the one before a reload is running", async () => {
    await place.database("kept.db", FILLED);
    mkdirSync(at("kept"));
    place.write({
      "kept.json": {
        files: ["kept.db"],
        settings: { sql_time_limit_ms: 60_000 },
        pluginConfig: { backup: { folder: "kept", every: "1s", rate: 1 } },
      },
    });
    const server = await place.serve(["-c", "kept.json"]);
    // The server of before does not end until its last request has ended.
    const leaving = new AbortController();
    const endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n";
    const { signal } = leaving;
    const request = fetch(`${server.url}/kept.json?sql=${encodeURIComponent(endless)}`, { signal }).catch(
      () => null,
    );
    const backups = (): readonly string[] =>
      readdirSync(at("kept")).filter((name) => !name.endsWith("-journal"));
    await until(() => backups().length > 0);
    const before = backups();

    server.process.kill("SIGHUP");
    await until(() => server.said().includes("Reloaded"));
    await sleep(1_500);
    const later = backups();
    leaving.abort();
    await request;
    await server.stop();

    expect(later).to.deep.equal(before);
  });

  it("make up for no backups that were due while one was slow", async () => {
    await place.database("slow.db", FILLED);
    mkdirSync(at("slow"));
    place.write({
      "slow.json": {
        files: ["slow.db"],
        pluginConfig: { backup: { folder: "slow", every: "1s", rate: 2 } },
      },
    });
    const server = await place.serve(["-c", "slow.json"]);
    const times = (): readonly number[] =>
      [...server.said().matchAll(/T(\d\d)(\d\d)(\d\d\.\d{3})Z\.db/g)].map(
        ([, hour, minute, second]) => (Number(hour) * 60 + Number(minute)) * 60 + Number(second),
      );

    await until(() => times().length > 0);
    await query("slow.db", "drop table filler");
    await query("slow.db", "vacuum");
    await until(() => times().length > 3);
    await server.stop();

    const pauses = times().map((time, place) => time - (times()[place - 1] ?? 0));
    expect(Math.min(...pauses)).to.be.above(0.4);
  });

  it("wait for the folder if it is removed while serving, and make no file in its place", async () => {
    await place.database("lasting.db");
    mkdirSync(at("removed"));
    writeFileSync(at("file"), "");
    place.write({
      "lasting.json": { files: ["lasting.db"], pluginConfig: everySecond("removed") },
      "mistaken.json": { files: ["lasting.db"], pluginConfig: everySecond("file") },
    });
    const mistaken = await place.run(["-c", "mistaken.json", "-p", "0"]);
    const server = await place.serve(["-c", "lasting.json"]);

    rmSync(at("removed"), { recursive: true });
    await until(() => server.said().includes("lasting could not be backed up: There is no folder removed\n"));
    expect(existsSync(at("removed"))).to.equal(false);
    mkdirSync(at("removed"));
    await until(() => readdirSync(at("removed")).length > 0);

    expect(mistaken.stderr).to.equal("Error: The folder for backups is not a folder: file\n");
    expect(server.said()).not.to.include("    at ");
    await server.stop();
  });
});
