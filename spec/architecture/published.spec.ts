import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, posix } from "node:path";
import { expect } from "chai";
import { linksOf } from "../docs/markdown-links.js";
import { IMPORT, packageOf, ROOT } from "./source-tree.js";

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
}

const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Manifest;
const packed = (): ReadonlySet<string> => {
  const output = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [{ files } = { files: [] }] = JSON.parse(output) as [{ files: { path: string }[] }];
  return new Set(files.map(({ path }) => path));
};

/** What a compiled module and all it leads to import: files from the root of the package, and bare names. */
function reached(entry: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  const path = join(ROOT, entry);
  if (!entry.startsWith("dist/") || !existsSync(path)) return seen;
  for (const [, from, bare, dynamic] of readFileSync(path, "utf8").matchAll(IMPORT)) {
    const name = from ?? bare ?? dynamic ?? "";
    reached(name.startsWith(".") ? posix.join(dirname(entry), name) : name, seen);
  }
  return seen;
}

/** Folders of source code that only the repository has. Pages for people who change Rowhouse lead there. */
const REPOSITORY_ONLY = /^(bench|build|cli|core|demo|plugins|spec)(\/|$)/;

/** Where a page leads to, from the root of the package: `docs/tutorial.md`. */
const targetsOf = (page: string): readonly string[] =>
  linksOf(page)
    .map((link) => link.replace(/#.*/, ""))
    .filter((path) => path !== "")
    .map((path) => posix.join(dirname(page), path).replace(/\/$/, ""));

const entryOf = (name: string): string => {
  const target = manifest.exports[name] ?? "";
  return (typeof target === "string" ? target : target.default).replace("./", "");
};

describe("the published package", () => {
  // The specs for engines need mocha and chai, which their users install.
  const names = Object.keys(manifest.exports).filter(
    (name) => !["./package.json", "./testing/engine"].includes(name),
  );
  const entries = new Map([
    ...names.map((name) => [`rowhouse${name.slice(1)}`, entryOf(name)] as const),
    ["the command", "dist/cli/main.js"] as const,
  ]);
  let files: ReadonlySet<string> = new Set();
  before(() => {
    files = packed();
  });

  for (const [name, entry] of entries) {
    it(`has all that ${name} imports, and depends on the rest`, () => {
      const all = [...reached(entry)];
      const ours = all.filter((one) => one.startsWith("dist/"));
      const bare = all.filter((one) => !one.startsWith("dist/") && !isBuiltin(one));

      expect(ours).to.include(entry);
      expect(ours.filter((file) => !files.has(file))).to.deep.equal([]);
      expect(
        bare.filter((one) => packageOf(one) !== "rowhouse" && !(packageOf(one) in manifest.dependencies)),
      ).to.deep.equal([]);
    });
  }

  it("has every page, picture and example that its pages lead to", () => {
    const list = [...files];
    const isPacked = (target: string) =>
      files.has(target) || list.some((path) => path.startsWith(`${target}/`));
    const missing = list
      .filter((path) => path.endsWith(".md"))
      .flatMap((page) => targetsOf(page).map((target) => ({ page, target })))
      .filter(
        ({ page, target }) => !isPacked(target) && (page === "README.md" || !REPOSITORY_ONLY.test(target)),
      );

    expect(targetsOf("README.md")).to.include("docs/tutorial.md");
    expect(missing).to.deep.equal([]);
  });

  it("has what is no code, and no specs of its own", () => {
    const list = [...files];

    expect(list).to.include.members([
      "README.md",
      "LICENSE",
      "dist/bundle/main.js",
      "dist/cli/rowhouse.cjs",
      "dist/cli/scaffold/src/index.ts.template",
      "dist/plugins/pages/templates/base.html",
      "dist/plugin-api/index.d.ts",
      "dist/spec/harness/index.d.ts",
    ]);
    expect(list.filter((path) => /\.spec\.(js|d\.ts)$/.test(path))).to.deep.equal([]);
    expect(list.filter((path) => /^examples\/.*(dist|node_modules|tsbuildinfo)/.test(path))).to.deep.equal(
      [],
    );
  });
});
