import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { workplace } from "./command.js";
import { startRegistry, type Registry } from "./registry.js";

const COUNT = "rowhouse-plugin-count";
const SCOPED = "@me/rowhouse-plugin-greet";

/** Says its version at /-/count. */
const esModule = (version: string): string => `import { definePlugin, reply } from "rowhouse/plugin-api";
export default definePlugin({ name: "count",
  register_routes: () => ({ name: "count", path: "/-/count", view: () => reply.text("count ${version}") }) });`;

const commonJs = `const { definePlugin, NotFound } = require("rowhouse/plugin-api");
module.exports = definePlugin({ name: "greet",
  register_routes: () => ({ name: "greet", path: "/-/greet.json", view() { throw new NotFound("Nobody"); } }) });`;

describe("plugins of a registry", function () {
  this.timeout(300_000);
  const source = workplace();
  const place = workplace();
  let registry: Registry;

  function publish(name: string, version: string, files: Readonly<Record<string, unknown>>): void {
    const manifest = { name, version, peerDependencies: { rowhouse: ">=0.1.0" }, main: "index.js", ...files };
    source.write({
      "pack/package.json": { ...manifest, "index.js": undefined },
      "pack/index.js": files["index.js"],
    });
    const packed = execFileSync("npm", ["pack", "--silent", "./pack"], {
      cwd: source.folder,
      encoding: "utf8",
    });
    registry.publish({ manifest, tarball: readFileSync(join(source.folder, packed.trim())) });
  }
  const npm = (...words: readonly string[]) => place.run(words, registry.environment);
  const answer = async (path: string): Promise<string> => (await place.run(["--get", path])).stdout.trim();
  const dependencies = (): Readonly<Record<string, string>> => {
    const written = readFileSync(join(place.folder, "package.json"), "utf8");
    return (JSON.parse(written) as { dependencies: Record<string, string> }).dependencies;
  };

  before(async () => {
    registry = await startRegistry(join(source.folder, "cache"));
    publish(COUNT, "1.0.0", { type: "module", "index.js": esModule("1.0.0") });
    publish(SCOPED, "1.0.0", { "index.js": commonJs });
  });
  after(() => registry.close());

  it("are installed by name, with a scope and without, modules of either kind", async () => {
    const { code, stderr } = await npm("install", COUNT, SCOPED);

    expect(stderr).to.include(`Installed ${COUNT} 1.0.0: register_routes`);
    expect(stderr).to.include(`Installed ${SCOPED} 1.0.0: register_routes`);
    expect(code).to.equal(0);
    expect(await answer("/-/count")).to.equal("count 1.0.0");
    expect(JSON.parse(await answer("/-/greet.json"))).to.include({ error: "Nobody", status: 404 });
  });

  it("become the newest with -U, across majors, and those that were not named stay", async () => {
    publish(COUNT, "2.0.0", { type: "module", "index.js": esModule("2.0.0") });
    publish(SCOPED, "1.1.0", { "index.js": commonJs });

    const { code, stderr } = await npm("install", "-U", COUNT);

    expect(stderr).to.include(`Installed ${COUNT} 2.0.0: register_routes`);
    expect(code).to.equal(0);
    expect(dependencies()).to.include({ [COUNT]: "^2.0.0", [SCOPED]: "^1.0.0" });
    expect(await answer("/-/count")).to.equal("count 2.0.0");
    expect(JSON.parse((await place.run(["plugins"])).stdout)).to.have.deep.nested.property(
      "[1].version",
      "1.0.0",
    );
  });

  it("keep the requested version, also with -U", async () => {
    const { code, stderr } = await npm("install", "-U", `${COUNT}@1.0.0`, SCOPED);

    expect(stderr).to.include(`Installed ${COUNT} 1.0.0`);
    expect(stderr).to.include(`Installed ${SCOPED} 1.1.0`);
    expect(code).to.equal(0);
    expect(await answer("/-/count")).to.equal("count 1.0.0");
  });

  it("that fail after an upgrade name the version to go back to", async () => {
    publish(COUNT, "3.0.0", { type: "module", "index.js": "throw new Error('broken release');" });

    const broken = await npm("install", "-U", COUNT);
    const again = await npm("install", COUNT);

    expect(broken.stderr).to.include("could not be loaded: broken release");
    expect(broken.stderr).to.include(`To go back: rowhouse install ${COUNT}@1.0.0\n`);
    expect(broken.code).to.equal(1);
    expect(again.stderr).not.to.include("To go back");
    expect((await npm("install", `${COUNT}@1.0.0`)).code).to.equal(0);
    expect(await answer("/-/count")).to.equal("count 1.0.0");
  });

  it("do not include those of Datasette", async () => {
    const { stderr, code } = await npm("install", "datasette-vega");

    expect(stderr).to.match(
      /npm error code E404[^]*\ndatasette-vega is a plugin of Datasette, which is written in Python and can't run here\. Plugins of Rowhouse are found with: npm search rowhouse-plugin\n$/,
    );
    expect(code).to.equal(1);
  });

  it("are taken out by name, and what no registry has is refused with npm's exit code", async () => {
    const gone = await npm("uninstall", "-y", SCOPED);
    const unknown = await npm("install", "-U", "rowhouse-plugin-nobody-made");

    expect(gone.code).to.equal(0);
    expect(Object.keys(dependencies())).to.deep.equal(["rowhouse", COUNT]);
    expect(unknown.stderr).to.include("npm error code E404");
    expect(unknown.stderr).not.to.include("Datasette");
    expect(unknown.code).to.equal(1);
    expect(await answer("/-/count")).to.equal("count 1.0.0");
  });
});
