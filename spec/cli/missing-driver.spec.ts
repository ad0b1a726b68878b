import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

describe("an installation whose SQLite driver was not built", () => {
  let folder = "";

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "rowhouse-driver-"));
    copyInstallation(folder);
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  it("names in one line what is missing and how to install it", async () => {
    const { code, stdout, stderr } = await run(folder, ["--memory", "-p", "0"]);

    expect(stderr).to.match(
      /^Error: The native binary of the package sqlite3 could not be loaded: node_sqlite3\.node is missing\. To build it, run 'npm rebuild sqlite3' in \S+ \(.*C\+\+ compiler.*\)\n$/,
    );
    expect(stderr).to.include(`in ${folder} (`);
    expect(stdout).to.equal("");
    expect(code).to.equal(1);
  });

  it("prints the same if the binary is for another machine", async () => {
    mkdirSync(join(folder, "node_modules/sqlite3/build/Release"), { recursive: true });
    writeFileSync(join(folder, "node_modules/sqlite3/build/Release/node_sqlite3.node"), "no library at all");

    const { code, stderr } = await run(folder, ["--get", "/-/versions.json"]);

    expect(stderr).to.match(/^Error: The native binary of the package sqlite3 could not be loaded: .+\n$/);
    expect(stderr).to.include("node_sqlite3.node: ").and.include("'npm rebuild sqlite3'");
    expect(code).to.equal(1);
  });

  it("still shows its help and its version", async () => {
    const help = await run(folder, ["--help"]);
    const version = await run(folder, ["--version"]);

    expect(help.stdout).to.include("rowhouse serve [files..]");
    expect(help.stderr).to.match(/^Warning: The native binary of the package sqlite3 .+\n$/);
    expect(version.stdout).to.match(/^rowhouse, version \d/);
    expect([help.code, version.code]).to.deep.equal([0, 0]);
  });
});

/** Everything as npm installs it, except what npm builds for the package sqlite3. */
function copyInstallation(folder: string): void {
  const target = join(folder, "node_modules/rowhouse");
  for (const part of [
    "package.json",
    "dist/cli",
    "dist/bundle",
    "dist/core",
    "dist/plugins",
    "dist/plugin-api",
  ])
    cpSync(join(ROOT, part), join(target, part), { recursive: true });
  const modules = join(folder, "node_modules");
  for (const name of readdirSync(join(ROOT, "node_modules")).filter((one) => !one.startsWith(".")))
    if (name !== "sqlite3" && name !== "rowhouse")
      symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  const isBuilt = (path: string): boolean => path.startsWith(join(ROOT, "node_modules/sqlite3/build"));
  cpSync(join(ROOT, "node_modules/sqlite3"), join(modules, "sqlite3"), {
    recursive: true,
    filter: (path) => !isBuilt(path) && !path.includes("/deps/"),
  });
}

async function run(folder: string, words: readonly string[]) {
  const child = spawn(
    process.execPath,
    [join(folder, "node_modules/rowhouse/dist/cli/rowhouse.cjs"), ...words],
    {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}
