import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { extensionFiles } from "../../cli/configuration/extensions.js";
import { childrenOf } from "../plugins/sqlite/isolation/children.js";
import { workplace } from "./command.js";

const isRequired = process.env["ROWHOUSE_REQUIRE_SPATIALITE"] === "1";

/** Makes spatial tables, a spatial index and the triggers that keep it, as SpatiaLite does it itself. */
const BUILD = `export default { name: "build", startup: (rowhouse) =>
  rowhouse.databases.get("spatial").write(async (transaction) => {
    await transaction.run("create table places (id integer primary key, name text)");
    for (const sql of [
      "select InitSpatialMetaData('NONE')",
      "select InsertEpsgSrid(4326)",
      "select AddGeometryColumn('places', 'position', 4326, 'POINT', 'XY')",
      "select CreateSpatialIndex('places', 'position')",
    ]) await transaction.all(sql);
    await transaction.run("insert into places (name, position) values ('Rome', MakePoint(12.5, 41.9, 4326))");
    await transaction.run("insert into places (name, position) values ('Oslo', MakePoint(10.75, 59.91, 4326))");
  }) };`;

/** Opens a spatial file as a program would that uses Rowhouse as a library, and prints one answer. */
const PROGRAM = `
import { bundledPlugins } from ${JSON.stringify(import.meta.resolve("rowhouse/plugins"))};
import { Kernel } from ${JSON.stringify(import.meta.resolve("rowhouse"))};
const [file, extension] = process.argv.slice(2);
try {
  const kernel = await Kernel.open({
    plugins: bundledPlugins.map((plugin) => ({ plugin })),
    databases: [{ uri: "file:" + file, name: "spatial", mutable: false }],
    options: { loadExtension: [extension] },
  });
  const reply = await kernel.fetch("/spatial.json?_shape=arrays&sql=select+AsText(position)+from+places");
  console.log(JSON.stringify(JSON.parse(String(reply.body)).rows));
  await kernel.close();
} catch (error) {
  console.log(error.name + ": " + error.message);
}`;

const WHERE_IN_ROME =
  "select name, AsText(position) as text from places where rowid in (select rowid from SpatialIndex " +
  "where f_table_name = 'places' and search_frame = BuildMbr(12, 41, 13, 42)) and Intersects(position, BuildMbr(12, 41, 13, 42))";

describe("SpatiaLite", () => {
  const place = workplace();

  before(async function () {
    if (!hasSpatialite() && !isRequired) {
      process.stderr.write("No SpatiaLite here: its specs are skipped.\n");
      return this.skip();
    }
    place.write({ "build/build.mjs": BUILD, "program.mjs": PROGRAM, "driver-first.mjs": driverFirst() });
    const built = await place.run([
      "--create",
      "spatial.db",
      "--load-extension",
      "spatialite",
      "--plugins-dir",
      "build",
      "--get",
      "/-/databases.json",
    ]);
    expect(built.stderr).to.equal("");
    expect(built.code).to.equal(0);
  });

  for (const isolation of ["process", "thread"]) {
    it(`answers spatial SQL of many readers at once in a ${isolation}`, async () => {
      const words = ["--load-extension", "spatialite", "--setting", "sql_isolation", isolation];
      const server = await place.serve(["spatial.db", ...words]);
      const url = `${server.url}/spatial.json?_shape=objects&sql=${encodeURIComponent(WHERE_IN_ROME)}`;

      const replies = await Promise.all(
        Array.from({ length: 30 }, async (_, index) => (await fetch(`${url}&_n=${index}`)).json()),
      );
      const page = await fetch(`${server.url}/spatial/places`);
      const children = process.platform === "linux" ? childrenOf(server.process.pid ?? 0) : null;
      const { code } = await server.stop();

      for (const reply of replies)
        expect((reply as { rows: unknown }).rows).to.deep.equal([{ name: "Rome", text: "POINT(12.5 41.9)" }]);
      expect(page.status).to.equal(200);
      if (children !== null) expect(children.length > 0).to.equal(isolation === "process");
      expect(code).to.equal(0);
    });
  }

  it("lets the triggers of a spatial table check what is written", async () => {
    const server = await place.serve(["spatial.db", "--load-extension", "spatialite", "--secret", "s"]);
    const token = (await place.run(["create-token", "root", "--secret", "s"])).stdout.trim();
    const insert = (row: object): Promise<Response> =>
      fetch(`${server.url}/spatial/places/-/insert`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ row }),
      });

    const refused = await insert({ name: "Nowhere", position: "no geometry" });
    const { code } = await server.stop();

    expect(refused.status).to.equal(400);
    expect(await refused.text()).to.include("violates Geometry constraint");
    expect(code).to.equal(0);
  });

  it("is counted by inspect", async () => {
    const { stdout, code } = await place.run(["inspect", "spatial.db", "--load-extension", "spatialite"]);

    expect(JSON.parse(stdout).spatial.tables.places).to.deep.equal({ count: 2 });
    expect(code).to.equal(0);
  });

  it("is named where a spatial file is opened without it", async () => {
    const { code, stdout, stderr } = await place.run(["spatial.db", "-p", "0"]);

    expect(stderr).to.match(
      /\nError: Connection to spatial\.db failed check: no such module: Virtual\w+\. This is a SpatiaLite database: start with --load-extension spatialite\n$/,
    );
    expect(stdout).to.equal("");
    expect(code).to.equal(2);
  });

  it("works for programs that use Rowhouse as a library", async () => {
    expect(await runProgram("program.mjs")).to.deep.equal([
      '[["POINT(12.5 41.9)"],["POINT(10.75 59.91)"]]\n',
      0,
    ]);
  });

  it("is refused with a reason where another module has loaded the driver before", async function () {
    if (process.platform !== "linux") return this.skip();

    const [said, code] = await runProgram("driver-first.mjs");

    expect(said).to.match(/^StartupError: Could not load extension .*mod_spatialite\S*: /);
    expect(said).to.include("import rowhouse before sqlite3, or start Node with LD_BIND_NOW=1");
    expect(code).to.equal(0);
    expect(await runProgram("driver-first.mjs", { LD_BIND_NOW: "1" })).to.deep.equal([
      '[["POINT(12.5 41.9)"],["POINT(10.75 59.91)"]]\n',
      0,
    ]);
  });

  async function runProgram(
    program: string,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<readonly [said: string, code: number | null]> {
    const [extension = ""] = extensionFiles(["spatialite"]);
    const words = [program, `${place.folder}/spatial.db`, extension];
    const child = spawn(process.execPath, words, {
      cwd: place.folder,
      env: { PATH: process.env["PATH"], ...environment },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
    const [code] = (await once(child, "close")) as [number | null];
    return [said, code];
  }
});

describe("a file that needs another extension", () => {
  const place = workplace();

  it("is answered with the option that loads it", async () => {
    await place.database(
      "a.db",
      "create table t (id); pragma writable_schema = on; insert into sqlite_schema values " +
        "('table', 'v', 'v', 0, 'create virtual table v using vec0(a)');",
    );

    const { code, stderr } = await place.run(["a.db", "-p", "0"]);

    expect(stderr).to.match(
      /\nError: Connection to a\.db failed check: no such module: vec0\. If an extension provides it, load it with --load-extension PATH\n$/,
    );
    expect(code).to.equal(2);
  });
});

function hasSpatialite(): boolean {
  try {
    return extensionFiles(["spatialite"]).every((path) => existsSync(path));
  } catch {
    return false;
  }
}

function driverFirst(): string {
  const driver = fileURLToPath(new URL("../../../node_modules/sqlite3/lib/sqlite3.js", import.meta.url));
  return `import ${JSON.stringify(driver)};\n${PROGRAM.replace(/^import /gm, "const ").replace(
    /(const \{ \w+ \}) from (".*?");/g,
    "$1 = await import($2);",
  )}`;
}
