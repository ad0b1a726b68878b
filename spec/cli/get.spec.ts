import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { workplace } from "./command.js";

describe("--get", () => {
  const place = workplace();

  before(() => place.database("a.db"));

  it("prints the body and a newline, and ends with 0", async () => {
    const { code, stdout, stderr } = await place.run(["a.db", "--get", "/a/t.json?_shape=array&_col=name"]);

    expect(stdout).to.equal('[{"id": 1, "name": "one"}, {"id": 2, "name": "two"}]\n');
    expect(stderr).to.equal("");
    expect(code).to.equal(0);
  });

  it("ends with 1 for any status but 200, and follows no redirect", async () => {
    const [missing, elsewhere] = await Promise.all([
      place.run(["a.db", "--get", "/nope"]),
      place.run(["a.db", "--get", "/a/"]),
    ]);

    expect([missing.code, elsewhere.code]).to.deep.equal([1, 1]);
  });

  it("adds the slash a path begins with, and takes the base URL or leaves it", async () => {
    const base = ["a.db", "--setting", "base_url", "/data/"];

    const ended = await Promise.all([
      place.call([...base, "--get=-/actor.json"]),
      place.call([...base, "--get", "-/actor.json"]),
      place.call([...base, "--get", "/-/actor.json"]),
      place.call([...base, "--get", "/data/-/actor.json"]),
    ]);

    expect(ended.map(({ stdout }) => stdout)).to.deep.equal(Array(4).fill('{"actor": null}\n'));
  });

  it("refuses a base URL that is not written as in URLs, or that browsers take for a host", async () => {
    const ended = await Promise.all(
      ["/ü/", "/a b/", "//x/", "/a%20b/"].map((base) =>
        place.call([
          "a.db",
          "--setting",
          "base_url",
          base,
          "--get",
          `${base}a/t.json?_size=1&_extra=next_url`,
        ]),
      ),
    );

    expect(ended.map(({ code }) => code === 0)).to.deep.equal([false, false, false, true]);
    expect(ended[0]?.stderr).to.include("such as /data/, with other characters encoded, such as %20");
    expect(ended[3]?.stdout).to.include("/a%20b/a/t.json?_size=1");
  });

  it("asks as an actor, or with a token", async () => {
    const { stdout: token } = await place.call(["create-token", "root", "--secret", "s"]);

    const [actor, bearer, invalid] = await Promise.all([
      place.call(["--get", "/-/actor.json", "--actor", '{"id": "ann"}']),
      place.call(["--get", "/-/actor.json", "--secret", "s", "--token", token.trim()]),
      place.call(["--get", "/-/actor.json", "--secret", "s", "--token", "rhtok_nonsense"]),
    ]);

    expect(actor.stdout).to.equal('{"actor": {"id": "ann"}}\n');
    expect(bearer.stdout).to.equal('{"actor": {"id": "root", "token": "rhtok"}}\n');
    expect(invalid.stdout).to.equal('{"actor": null}\n');
  });

  it("prints no error if the reader closes the pipe", async () => {
    const launcher = fileURLToPath(new URL("../../cli/rowhouse.cjs", import.meta.url));
    const path = "/_memory.json?sql=select+hex(zeroblob(300000))";
    // A slow machine would warn that the statement was slow.
    const pipe = '"$0" "$1" --no-config --memory --setting slow_sql_ms 60000 --get "$2" | head -c 5';

    const { stdout, stderr } = await promisify(execFile)("sh", [
      "-c",
      pipe,
      process.execPath,
      launcher,
      path,
    ]);

    expect([stdout, stderr]).to.deep.equal(['{"ok"', ""]);
  });

  it("prints status and headers with --headers", async () => {
    const { stdout } = await place.call(["--get", "/-/actor.json", "--headers"]);

    const [head = "", body] = stdout.split("\n\n");
    expect(head.split("\n")[0]).to.equal("HTTP/1.1 200");
    expect(head).to.match(/^content-type: application\/json; charset=utf-8$/m);
    expect(body).to.equal('{"actor": null}\n');
  });
});

describe("a single request with --get", () => {
  const place = workplace();

  it("prints version, help and settings on standard output", async () => {
    const [version, overview, serve, settings] = await Promise.all([
      place.call(["--version"]),
      place.call(["--help"]),
      place.call(["serve", "--help"]),
      place.call(["--help-settings", "nope.db"]),
    ]);

    expect(version.stdout).to.match(/^rowhouse, version \d+\.\d+\.\d+\n$/);
    expect(overview.stdout).to.include("rowhouse create-token").and.include("rowhouse inspect");
    expect(serve.stdout)
      .to.include("Usage: rowhouse serve [OPTIONS] [FILES]...")
      .and.include("-i, --immutable");
    expect(settings.stdout).to.match(/^Settings:\n {2}default_page_size {2,}.*\(default=100\)\n/);
    expect(settings.stdout).to.match(/^ {2}allow_facet .*\(default=True\)$/m);
    expect([version, overview, serve, settings].map(({ code }) => code)).to.deep.equal([0, 0, 0, 0]);
  });

  it("serves a file whose name is a command's after the word serve", async () => {
    await place.database("inspect");

    const { stdout } = await place.call(["serve", "inspect", "--get", "/-/databases.json"]);

    expect(JSON.parse(stdout)).to.have.nested.property("[0].name", "inspect");
  });

  it("takes options before, between and after files, and the last of a repeated one", async () => {
    await Promise.all([place.database("a.db"), place.database("deep/a.db")]);

    const { stdout } = await place.call([
      "-p1",
      "a.db",
      "-p",
      "2",
      "./a.db",
      "--get",
      "/",
      "deep/a.db",
      "--get=/-/databases.json",
    ]);

    const databases = JSON.parse(stdout) as readonly { readonly name: string; readonly path: string }[];
    expect(databases.map(({ name, path }) => [name, path])).to.deep.equal([
      ["a", "a.db"],
      ["a_2", "deep/a.db"],
    ]);
  });

  it("gives files with names of the server's own databases and pages another name", async () => {
    await Promise.all(["_internal.db", "_memory.db", "-.db"].map((name) => place.database(name)));
    const files = ["_internal.db", "_memory.db", "./-.db", "--memory"];

    const { stdout } = await place.call([...files, "--get", "/-/databases.json"]);
    const content = await place.call([...files, "--get", "/_internal_2/t.json?_shape=array&_col=name"]);

    const databases = JSON.parse(stdout) as readonly { readonly name: string; readonly path: string }[];
    expect(databases.map(({ name, path }) => [name, path])).to.deep.equal([
      ["_memory", null],
      ["_internal_2", "_internal.db"],
      ["_memory_2", "_memory.db"],
      ["-_2", "./-.db"],
    ]);
    expect(content.stdout).to.equal('[{"id": 1, "name": "one"}, {"id": 2, "name": "two"}]\n');
  });
});
