import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { ownModules } from "../../cli/plugins/own-modules.js";
import { workplace } from "./command.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const BUNDLE = "/dist/bundle/";

const exported = Object.keys(
  (JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { exports: object }).exports,
)
  .filter((name) => name !== "./package.json" && !name.startsWith("./testing"))
  .map((name) => name.replace(".", "rowhouse"));

const PLUGIN = `
import { definePlugin, NotFound, reply } from "rowhouse/plugin-api";
import { BadRequest } from "rowhouse/plugin-api/errors";
const names = ${JSON.stringify(exported)};
export default definePlugin({
  name: "whose",
  register_routes: () => [
    { name: "whose", path: "/-/whose", view: async () => {
      const loaded = await Promise.all(names.map((name) => import(name)));
      return reply.text(JSON.stringify({ urls: names.map((name) => import.meta.resolve(name)), loaded: loaded.length }));
    } },
    { name: "missing", path: "/-/missing-one", view: () => { throw new NotFound("not here"); } },
    { name: "bad", path: "/-/bad-one", view: () => { throw new BadRequest("not so"); } },
  ],
});
`;

describe("the bundle of the command", () => {
  const place = workplace();

  /** The scripts of Rowhouse and its dependencies that a command loads. */
  async function loadedBy(words: readonly string[]): Promise<readonly string[]> {
    const folder = join(place.folder, `coverage${words.join("")}`);
    await place.run(words, { NODE_V8_COVERAGE: folder });
    const found = readdirSync(folder).flatMap((name) => {
      const { result } = JSON.parse(readFileSync(join(folder, name), "utf8")) as {
        readonly result: readonly { readonly url: string }[];
      };
      return result.map(({ url }) => url);
    });
    return found.filter((url) => url.startsWith("file:"));
  }

  it("shares the modules that run with plugins, by every name that the package exports", async () => {
    place.write({ "plugins/whose.mjs": PLUGIN });
    const get = async (path: string) => place.run(["--plugins-dir", "plugins", "--get", path]);
    const { stdout } = await get("/-/whose");
    const { urls, loaded } = JSON.parse(stdout) as { readonly urls: string[]; readonly loaded: number };

    expect(urls.filter((url) => !url.includes(BUNDLE))).to.deep.equal([]);
    expect(loaded).to.equal(exported.length);
    // Errors are recognised by their class.
    expect((await get("/-/missing-one")).stdout)
      .to.include("not here")
      .and.include("404");
    expect((await get("/-/bad-one")).stdout)
      .to.include("not so")
      .and.include("400");
  });

  // V8 keeps the source of a script. With a single character beyond Latin-1, each of its characters takes two bytes.
  it("contains only characters of Latin-1", () => {
    const folder = join(ROOT, BUNDLE);
    const scripts = readdirSync(folder).map((name) => ({
      name,
      text: readFileSync(join(folder, name), "utf8"),
    }));
    const wide = scripts.flatMap(({ name, text }) =>
      (text.match(/.{0,30}[^\0-\xff]/g) ?? []).map((found) => `${name}: ${found}`),
    );

    expect(wide).to.deep.equal([]);
  });

  // A configuration file in TypeScript is compiled by the package beside Rowhouse, not by that of the build.
  it("contains nothing of the package typescript", () => {
    const folder = join(ROOT, BUNDLE);
    const scripts = readdirSync(folder).filter((name) =>
      readFileSync(join(folder, name), "utf8").includes("node_modules/typescript/"),
    );

    expect(scripts).to.deep.equal([]);
  });

  it("has the names of the separate modules", () => {
    expect([...ownModules().keys()].toSorted()).to.deep.equal(exported.toSorted());
  });

  it("answers with nothing but the bundle and the SQLite driver", async () => {
    await place.database("two.db");
    const urls = await loadedBy(["two.db", "--get", "/two/t.json"]);
    const others = urls.filter((url) => !url.includes(BUNDLE) && !url.endsWith("/dist/cli/rowhouse.cjs"));

    expect(urls.some((url) => url.includes(BUNDLE))).to.equal(true);
    expect(
      others.filter((url) => !/node_modules\/(sqlite3|bindings|file-uri-to-path)\//.test(url)),
    ).to.deep.equal([]);
  });

  it("loads neither plugins nor the parser of options to print the version", async () => {
    const urls = await loadedBy(["--version"]);
    const bytes = urls.map((url) => readFileSync(fileURLToPath(url)).length).reduce((a, b) => a + b);

    expect(bytes).to.be.below(20_000);
  });
});
