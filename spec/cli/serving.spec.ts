import { once } from "node:events";
import { mkdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect } from "chai";
import { until } from "../harness/until.js";
import { workplace } from "./command.js";

const LONG_SECRET = "0123456789abcdef0123456789abcdef";

describe("a running server", () => {
  const place = workplace();

  before(() => place.database("a.db"));

  it("logs once why a database can't be read, with what the system said, and where a template fails", async () => {
    await place.database("gone.db");
    place.write({ "faulty/index.html": "<h1>Site</h1>\n<%= it.nothing.here %>\n" });
    const server = await place.serve(["gone.db", "--template-dir", "faulty", "--no-config"]);
    await (await fetch(server.url)).text();
    const file = join(place.folder, "gone.db");
    const logged = async (change: () => void, line: string): Promise<void> => {
      rmSync(file, { recursive: true });
      change();
      await until(async () => {
        await (await fetch(`${server.url}/gone/t.json`)).text();
        return server.said().includes(line);
      });
    };

    await logged(
      () => mkdirSync(file),
      "GET /gone/t.json: gone: The database file is not a file any more.\n",
    );
    await logged(() => symlinkSync(file, file), "Caused by Error: ELOOP: ");
    await (await fetch(`${server.url}/.json`)).text();
    await until(() => /\nDatabase gone: .+\nCaused by Error: ELOOP: /.test(server.said()));
    await server.stop();
    const [before = "", after = ""] = server.said().split("GET /gone/t.json: ", 2);
    expect(after).not.to.include("    at ");
    expect(before.split(">> 2| <%= it.nothing.here %>")).to.have.length(2);
  });

  it("prints its address, and exits with 0 after SIGINT and SIGTERM", async () => {
    const [first, second] = await Promise.all([
      place.serve(["a.db", "--secret", LONG_SECRET]),
      place.serve(["a.db", "--secret", LONG_SECRET]),
    ]);

    expect(first.said()).to.match(
      /^Rowhouse running on http:\/\/127\.0\.0\.1:\d+ \(Press CTRL\+C to quit\)\n$/,
    );
    const [interrupted, terminated] = await Promise.all([first.stop("SIGINT"), second.stop("SIGTERM")]);
    expect([interrupted.code, terminated.code]).to.deep.equal([0, 0]);
    expect(interrupted.stdout).to.equal("");
  });

  it("finishes running requests before it stops", async () => {
    place.write({
      "slow/slow.mjs": `export default {
        async register_routes() {
          const { reply } = await import("rowhouse/plugin-api");
          return [{ name: "slow", path: "/-/slow", target: "instance", view: async () => {
            console.error("It has begun");
            await new Promise((told) => process.once("SIGTERM", () => setTimeout(told, 100)));
            return reply.text("done");
          } }];
        },
      };`,
    });
    const server = await place.serve(["a.db", "--plugins-dir", "slow"]);

    const asked = fetch(`${server.url}/-/slow`);
    await until(() => server.said().includes("It has begun"));
    const ended = server.stop("SIGTERM");

    expect(await (await asked).text()).to.equal("done");
    expect((await ended).code).to.equal(0);
  });

  it("reports a port in use in one line, before any plugin starts", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    place.write({ "starting.mjs": 'export default { startup() { console.error("started"); } };' });
    place.write({ "starting.json": { plugins: ["./starting.mjs"] } });

    const { code, stderr } = await place.run(["a.db", "-p", String(port), "-c", "starting.json"]);
    other.close();

    expect(stderr).to.equal(`Error: Could not listen on 127.0.0.1:${port}: the address is already in use\n`);
    expect(code).to.equal(1);
  });

  it("prints the link of --root first and alone, with the real port", async () => {
    const server = await place.serve(["a.db", "--root"]);

    const { stdout } = await server.stop();

    expect(stdout).to.match(/^http:\/\/127\.0\.0\.1:[1-9]\d*\/-\/auth-token\?token=[0-9a-f]{64}\n$/);
    expect(stdout.startsWith(server.url)).to.equal(true);
  });

  it("warns of a missing, a short and a documented secret, and never shows one", async () => {
    const servers = await Promise.all([
      place.serve(["a.db"]),
      place.serve(["a.db", "--secret", "short and sweet"]),
      place.serve(["a.db", "--secret", "mysecret"]),
    ]);

    const [none = "", short = "", example = ""] = servers.map((server) => server.said().split("\n")[0]);
    await Promise.all(servers.map((server) => server.stop()));

    expect(none).to.include("tokens and cookies end with this process");
    expect(short)
      .to.match(/^Warning: The secret is shorter than 32 bytes/)
      .and.not.include("sweet");
    expect(example)
      .to.match(/^Warning: The secret is an example of the documentation/)
      .and.not.include("mysecret");
  });

  it("listens on a Unix socket, also where an old one was left behind", async () => {
    const socket = join(place.folder, "s.sock");

    for (let round = 0; round < 2; round++) {
      const server = await place.serve(["a.db", "--uds", socket]);
      expect(statSync(socket).isSocket()).to.equal(true);
      await server.stop(round === 0 ? "SIGKILL" : "SIGTERM");
    }
  });

  it("makes missing files with --create", async () => {
    const { code, stdout } = await place.call(["new.db", "--create", "--get", "/-/databases.json"]);

    expect(code).to.equal(0);
    expect(JSON.parse(stdout)).to.have.nested.property("[0].size", 4096);
    expect(statSync(join(place.folder, "new.db")).size).to.equal(4096);
  });

  it("starts again when something it was made from changes, with --reload", async () => {
    place.write({ "about.json": { title: "Before" } });
    const server = await place.serve(["a.db", "-m", "about.json", "--reload", "--secret", LONG_SECRET]);

    place.write({ "about.json": { title: "After" } });
    // It may start more than once: a file is empty for a moment before it is written.
    await until(async () => {
      const url =
        server
          .said()
          .match(/(?<=Rowhouse running on )\S+/g)
          ?.at(-1) ?? "";
      const reply = await fetch(`${url}/-/metadata.json`).catch(() => null);
      return ((await reply?.json()) as { title?: string } | undefined)?.title === "After";
    });
    expect((await server.stop()).code).to.equal(0);
  });

  it("logs SQL that failed, without its parameters", async () => {
    const { stderr } = await place.call([
      "a.db",
      "--get",
      "/a.json?sql=select+blah,+:password&password=hush",
    ]);

    expect(stderr).to.equal("sql = 'select blah, :password': no such column: blah\n");
  });

  it("joins databases with --crossdb", async () => {
    await place.database("b.db");

    const { stdout } = await place.call([
      "a.db",
      "b.db",
      "--crossdb",
      "--get",
      `/_memory.json?_shape=array&sql=${encodeURIComponent("select count(*) as n from a.t, b.t")}`,
    ]);

    expect(JSON.parse(stdout)).to.deep.equal([{ n: 4 }]);
  });

  it("joins databases with --crossdb although the server has an internal database in a file", async () => {
    const sql = encodeURIComponent("select count(*) as n from a.t");

    const { stdout } = await place.call([
      "a.db",
      "--crossdb",
      "--internal",
      "internal.db",
      "--get",
      `/_memory.json?_shape=array&sql=${sql}`,
    ]);

    expect(JSON.parse(stdout)).to.deep.equal([{ n: 2 }]);
  });

  it("joins databases with --crossdb that --create makes", async () => {
    const sql = encodeURIComponent("select count(*) as n from a.t, made.sqlite_master");

    const { stdout, stderr } = await place.call([
      "a.db",
      "made.db",
      "--create",
      "--crossdb",
      "--get",
      `/_memory.json?_shape=array&sql=${sql}`,
    ]);

    expect([stdout, stderr]).to.deep.equal(['[{"n": 0}]\n', ""]);
  });

  it("leaves out databases that SQLite cannot attach, with a warning", async () => {
    for (const name of ["main.db", "Twice.db", "twice.db"]) await place.database(name);
    const joined = "select count(*) as n from a.t, twice.t";

    const { stdout, stderr } = await place.call([
      "a.db",
      "main.db",
      "Twice.db",
      "twice.db",
      "--crossdb",
      "--get",
      `/_memory.json?_shape=array&sql=${encodeURIComponent(joined)}`,
    ]);

    expect(stdout).to.equal('[{"n": 4}]\n');
    for (const name of ["main", "twice"])
      expect(stderr).to.include(`--crossdb leaves out ${name}: SQLite can't`);
  });

  it("lists only databases that --crossdb attached, and asks for no permission on others", async () => {
    for (const name of ["temp.db", "Other.db", "other.db"]) await place.database(name);
    const files = ["a.db", "temp.db", "Other.db", "other.db"];
    const unreadable = ["-s", "databases.temp.allow_sql", "false"];

    const { stdout } = await place.call([...files, "--crossdb", ...unreadable, "--get", "/_memory"]);

    const listed = [...stdout.matchAll(/sql=select\+%2A\+from\+(\w+)\.sqlite_master/g)].map(
      ([, name]) => name,
    );
    expect(listed).to.deep.equal(["a", "Other"]);
    expect(stdout, "the form for SQL").to.include('name="sql"');
  });

  it("limits clients with --public, and closes connections that send no request", async () => {
    const settings = ["-s", "header_time_limit_ms", "1000", "-s", "max_requests", "7"];
    const server = await place.serve(["a.db", "--no-config", "--public", ...settings]);
    const reply = await fetch(`${server.url}/a.json`);
    const shown = (await (await fetch(`${server.url}/-/settings.json`)).json()) as Record<string, number>;
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.write("GET /a.json HTTP/1.1\r\nhost: slow\r\n");
    let received = "";
    for await (const piece of socket) received += String(piece);
    await server.stop();

    expect(reply.headers.get("ratelimit-policy")).to.equal('"requests";q=7;w=60');
    expect(shown).to.include({
      max_requests: 7,
      max_sql_at_once: 2,
      max_requests_at_once: 20,
      max_sql_seconds: 60,
    });
    expect(received).to.match(/^HTTP\/1.1 408 /);
  });
});
