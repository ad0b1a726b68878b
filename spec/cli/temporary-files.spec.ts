import { spawnSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:http";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { until } from "../harness/until.js";
import { launcher, workplace } from "./command.js";

/** The id of a process that has ended. */
const deadProcess = (): number => spawnSync(process.execPath, ["-e", ""]).pid;

describe("temporary files", () => {
  const place = workplace();
  let temporary = "";

  before(async () => {
    await place.database("a.db", "create table t (id integer primary key, name text)");
    temporary = join(place.folder, "temporary");
    mkdirSync(temporary);
  });

  it("of an upload are gone with a server that is killed", async () => {
    const server = await place.serve(["a.db", "--secret", "s"], { TMPDIR: temporary });
    const token = (await place.run(["create-token", "root", "--secret", "s"])).stdout.trim();
    const upload = request(`${server.url}/a/t/-/insert`, {
      method: "POST",
      headers: { "content-type": "application/x-ndjson", authorization: `Bearer ${token}` },
    });
    upload.on("error", () => undefined);
    upload.write('{"name": "first"}\n'.repeat(5000));
    await until(() => openFiles(server.process.pid).some(isUnnamed));
    // Its folder is removed after its name. If the server is killed in between, the next start removes it.
    await until(() => readdirSync(temporary).length === 0);

    await server.stop("SIGKILL");

    expect(readdirSync(temporary)).to.deep.equal([]);
  });

  it("of other killed processes are removed at the next start, and nothing else", async () => {
    const dead = deadProcess();
    const here = hostname();
    const removed = [
      `rowhouse-spool-${here}-${dead}-aB3xYz`,
      `rowhouse-publish-${here}-${dead}-aB3xYz`,
      `rowhouse-memory-${here}-${dead}-aB3xYz`,
      `rowhouse-rows-${here}-${dead}-5f0c`,
    ];
    const kept = [
      `rowhouse-publish-${here}-${process.pid}-aB3xYz`,
      `rowhouse-publish-elsewhere-${dead}-aB3xYz`,
      `rowhouse-publish-${here}-0-aB3xYz`,
      `rowhouse-other-${here}-${dead}-aB3xYz`,
      `my-rowhouse-publish-${here}-${dead}-aB3xYz`,
      `rowhouse-publish-${here}-${dead}`,
      "rowhouse-cli-notes",
    ];
    for (const name of [...removed.slice(0, 3), ...kept]) {
      mkdirSync(join(temporary, name));
      writeFileSync(join(temporary, name, "data.db"), "rows");
    }
    writeFileSync(join(temporary, removed[3] ?? ""), "rows");
    symlinkSync(place.folder, join(temporary, `rowhouse-spool-${here}-${dead}-linked`));
    const foreign = `rowhouse-spool-${here}-${dead}-others`;
    mkdirSync(join(temporary, foreign));
    const isRoot = process.getuid?.() === 0;
    // Only root can give files away; for anyone else there is none of another user to look at.
    if (isRoot) chownSync(join(temporary, foreign), 12345, 12345);

    const server = await place.serve(["a.db"], { TMPDIR: temporary });
    await until(() => !removed.some((name) => existsSync(join(temporary, name))));
    await server.stop();

    const left = [...kept, `rowhouse-spool-${here}-${dead}-linked`, ...(isRoot ? [foreign] : [])];
    expect(readdirSync(temporary).toSorted()).to.deep.equal(left.toSorted());
    expect(existsSync(join(place.folder, "a.db"))).to.equal(true);
  });

  it("are removed by the commands that make them, too", async () => {
    const left = join(temporary, `rowhouse-publish-${hostname()}-${deadProcess()}-aB3xYz`);
    mkdirSync(left);

    await place.run(["create-token", "ann", "--secret", "s"], { TMPDIR: temporary });

    expect(existsSync(left)).to.equal(false);
  });

  it("are removed if the process before had the same id, as in a container that is started again", () => {
    // `exec` keeps the id of the shell.
    const script = 'mkdir "$TMPDIR/rowhouse-publish-$HOST-$$-sameId" && exec "$@"';
    const command = [process.execPath, launcher, "create-token", "ann", "--secret", "s"];
    const env = { ...process.env, TMPDIR: temporary, HOST: hostname() };
    const { status } = spawnSync("sh", ["-c", script, "sh", ...command], { env });

    expect(status).to.equal(0);
    expect(readdirSync(temporary).filter((name) => name.endsWith("-sameId"))).to.deep.equal([]);
  });

  it("are no reason not to start where the folder for them is missing", async () => {
    const server = await place.serve(["a.db"], { TMPDIR: join(place.folder, "nowhere") });

    expect((await fetch(server.url)).status).to.equal(200);
    expect((await server.stop()).stderr).not.to.include("nowhere");
  });
});

/** Between opening a file and taking its name away the server may be killed as well; the next start removes that. */
const isUnnamed = (path: string): boolean => path.includes("/rowhouse-spool-") && path.endsWith(" (deleted)");

/** The targets of a process's file descriptors, those of files without a name included. */
function openFiles(pid = 0): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(join(folder, name))];
    } catch {
      return [];
    }
  });
}
