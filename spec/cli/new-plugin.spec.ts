import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { workplace } from "./command.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const OFFLINE = { npm_config_offline: "true", npm_config_audit: "false", npm_config_fund: "false" };
const packageFolder = (name: string): string =>
  dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));

/** What `npm install` would bring, from this machine. */
function linkDependencies(folder: string): void {
  mkdirSync(join(folder, "node_modules/@types"), { recursive: true });
  mkdirSync(join(folder, "node_modules/.bin"));
  symlinkSync(ROOT, join(folder, "node_modules/rowhouse"));
  for (const name of ["typescript", "@types/node"])
    symlinkSync(packageFolder(name), join(folder, "node_modules", name));
  symlinkSync(join(packageFolder("typescript"), "bin/tsc"), join(folder, "node_modules/.bin/tsc"));
  symlinkSync(join(ROOT, "dist/cli/rowhouse.cjs"), join(folder, "node_modules/.bin/rowhouse"));
}

describe("rowhouse plugin new", function () {
  this.timeout(300_000);
  const place = workplace();
  const home = workplace();
  const npm = (...words: readonly string[]): string =>
    execFileSync("npm", words, {
      cwd: join(place.folder, "rowhouse-plugin-well-met"),
      env: { PATH: process.env["PATH"], HOME: place.folder, ...OFFLINE },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });

  it("writes a package with all fields that npm and Rowhouse need, with README, CI and specs", async () => {
    const { code, stderr } = await place.run(["plugin", "new", "@me/well-met"]);
    const folder = join(place.folder, "rowhouse-plugin-well-met");

    expect(stderr).to.equal(
      "Created @me/rowhouse-plugin-well-met in rowhouse-plugin-well-met. " +
        "Next: cd rowhouse-plugin-well-met && npm install && npm test\n",
    );
    expect(code).to.equal(0);
    expect(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).to.deep.include({
      name: "@me/rowhouse-plugin-well-met",
      keywords: ["rowhouse-plugin"],
      rowhouse: { apiVersion: 1 },
      peerDependencies: { rowhouse: "^0.1.0" },
    });
    expect(readdirSync(folder, { recursive: true })).to.include.members([
      "README.md",
      ".gitignore",
      ".github/workflows/ci.yml",
      "src/index.ts",
      "spec/index.spec.ts",
    ]);
    expect(readFileSync(join(folder, "README.md"), "utf8")).to.match(/^# @me\/rowhouse-plugin-well-met\n/);
    expect(readFileSync(join(folder, ".github/workflows/ci.yml"), "utf8")).to.include("${{ matrix.node }}");
  });

  it("whose specs pass, with npm test, under another runner than ours", () => {
    linkDependencies(join(place.folder, "rowhouse-plugin-well-met"));

    const output = npm("test");

    expect(output)
      .to.match(/^\S+ tests 3$/m)
      .and.match(/^\S+ pass 3$/m);
  });

  it("which runs where it lies", async () => {
    const serve = join(place.folder, "rowhouse-plugin-well-met");
    const { stdout } = await place.run(["-c", join(serve, ".rowhouserc.json"), "--get", "/-/well-met"]);

    expect(stdout).to.include("<h1>Hello, visitor</h1>");
  });

  it("which is packed, installed elsewhere, configured and used", async () => {
    npm("pack", "--ignore-scripts", "--pack-destination", home.folder);
    const tarball = readdirSync(home.folder).find((name) => name.endsWith(".tgz")) ?? "";

    const installed = await home.run(["install", `./${tarball}`], OFFLINE);
    home.write({ ".rowhouserc.json": { plugins: { "@me/well-met": { greeting: "Well met" } } } });
    const { stdout } = await home.run(["--get", "/-/well-met"]);

    expect(installed.stderr).to.include(
      "Installed @me/rowhouse-plugin-well-met 0.1.0: menu_links, register_permissions, register_routes",
    );
    expect(stdout).to.include("<h1>Well met, visitor</h1>");
    const files = readdirSync(join(home.folder, "node_modules/@me/rowhouse-plugin-well-met"), {
      recursive: true,
    });
    expect(files).to.include.members(["dist/src/index.js", "dist/src/index.d.ts", "README.md"]);
    expect(files).not.to.include("dist/spec");
  });

  it("overwrites nothing, and takes no name that npm would refuse", async () => {
    const again = await place.run(["plugin", "new", "well-met"]);
    const odd = await place.run(["plugin", "new", "Well Met"]);

    expect(again.stderr).to.equal(
      "Error: The folder rowhouse-plugin-well-met is not empty: choose another name, or remove it\n",
    );
    expect(again.code).to.equal(1);
    expect(odd.stderr).to.include("Invalid value for 'NAME': Well Met should be lower-case letters");
    expect(odd.code).to.equal(2);
  });
});
