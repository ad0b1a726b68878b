import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { kernelHooks } from "rowhouse/plugin-api/kernel";
import { wrongArrows } from "./architecture/arrows.js";
import { foldersIn, ROOT, readTree } from "./architecture/source-tree.js";

/** Every line counts, comments and imports too. */
const KERNEL_LINES = 1000;
const FILE_LINES = 300;

/** Files that hold one idea and still need more lines, each with the reason. */
const longFiles: Readonly<Record<string, string>> = {};

/** An exported name without a comment above it. */
const UNTOLD =
  /(?<!\*\/\n|^\/\/[^\n]*\n)^export (?:abstract )?(?:async )?(?:class|const|function|interface|type) (\w+)/gm;

const tree = readTree();
const product = tree.filter(({ path }) => !path.startsWith("spec/"));
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

describe("the tree", () => {
  it("imports only along the arrows", () => {
    expect(tree.flatMap(wrongArrows)).to.deep.equal([]);
  });

  it(`keeps the kernel under ${KERNEL_LINES} lines`, () => {
    const kernel = tree.filter(({ path }) => path.startsWith("core/"));

    const total = kernel.reduce((sum, { lines }) => sum + lines, 0);

    expect(total).to.be.above(0);
    expect(total).to.be.below(KERNEL_LINES);
  });

  it(`has no file over ${FILE_LINES} lines without a reason`, () => {
    const long = product.filter(({ lines }) => lines > FILE_LINES).map(({ path }) => path);

    expect(long.filter((path) => longFiles[path] === undefined)).to.deep.equal([]);
    expect(Object.keys(longFiles).filter((path) => !long.includes(path))).to.deep.equal([]);
  });

  it("does not use the type any", () => {
    const saying = tree.filter(({ code }) => /[:<,(|&]\s*any\b|\bas any\b/.test(code));

    expect(saying.map(({ path }) => path)).to.deep.equal([]);
  });

  it("has no enum", () => {
    const having = tree.filter(({ code }) => /^\s*(?:export |const |declare )*enum\s/m.test(code));

    expect(having.map(({ path }) => path)).to.deep.equal([]);
  });

  it("exports by default only from plugins", () => {
    const exporting = product.filter(({ code }) => /^export default\b/m.test(code)).map(({ path }) => path);

    expect(exporting.filter((path) => !/^plugins\/[^/]+\/index\.ts$|^demo\//.test(path))).to.deep.equal([]);
  });
});

describe("plugin-api", () => {
  it("says of every exported name what it is", () => {
    const silent = tree
      .filter(({ path }) => path.startsWith("plugin-api/"))
      .flatMap(({ path }) => [...read(path).matchAll(UNTOLD)].map(([, name]) => `${path}: ${name}`));

    expect(silent).to.deep.equal([]);
  });
});

describe("every bundled plugin", () => {
  const list = read("plugins/index.ts");

  for (const name of foldersIn("plugins")) {
    it(`${name} is in the list and has specs`, () => {
      expect(list).to.include(`"./${name}/index.js"`);
      expect(foldersIn("spec/plugins")).to.include(name);
    });
  }
});

describe("the architecture's own rules", () => {
  const wrong: [path: string, imported: string][] = [
    ["core/a.ts", "plugins/json/index.ts"],
    ["core/a.ts", "node:fs/promises"],
    ["core/a.ts", "sqlite3"],
    ["core/a.ts", "express"],
    ["core/a.ts", "node:http"],
    ["core/a.ts", "cli/http/index.ts"],
    ["core/a.ts", "rowhouse/plugins"],
    ["cli/http/a.ts", "core/kernel.ts"],
    ["cli/http/a.ts", "node:fs"],
    ["plugin-api/a.ts", "core/a.ts"],
    ["plugins/json/index.ts", "plugins/csv/row.ts"],
    ["plugins/json/index.ts", "rowhouse"],
    ["plugins/map/client/app.ts", "rowhouse/plugin-api"],
    ["plugin-api/browser/index.ts", "node:crypto"],
    ["plugins/json/index.ts", "core/a.ts"],
    ["plugins/json/index.ts", "sqlite3"],
    ["plugins/index.ts", "plugins/json/shapes.ts"],
    ["cli/main.ts", "plugins/json/index.ts"],
    ["spec/plugins/json/a.spec.ts", "plugins/csv/row.ts"],
    ["spec/plugins/json/a.spec.ts", "core/a.ts"],
    ["elsewhere/a.ts", "node:path"],
  ];
  for (const [path, imported] of wrong) {
    it(`find ${path} -> ${imported}`, () => {
      expect(wrongArrows({ path, imports: [imported] })).to.have.length(1);
    });
  }

  const right: [path: string, imported: string][] = [
    ["core/a.ts", "rowhouse/plugin-api"],
    ["core/a.ts", "node:crypto"],
    ["cli/http/a.ts", "core/index.ts"],
    ["cli/http/a.ts", "express"],
    ["plugins/sqlite/index.ts", "sqlite3"],
    ["plugins/json/index.ts", "plugins/json/shapes.ts"],
    ["plugins/map/client/app.ts", "rowhouse/browser"],
    ["plugins/index.ts", "plugins/json/index.ts"],
    ["spec/core/a.spec.ts", "core/a.ts"],
    ["spec/harness/raw-sqlite.ts", "sqlite3"],
  ];
  for (const [path, imported] of right) {
    it(`let ${path} -> ${imported} be`, () => {
      expect(wrongArrows({ path, imports: [imported] })).to.deep.equal([]);
    });
  }

  it("see the imports of a file that has some", () => {
    const spec = tree.find(({ path }) => path === "spec/architecture.spec.ts");

    expect(spec?.imports).to.include.members(["node:fs", "chai", "spec/architecture/arrows.ts"]);
  });
});

describe("the plugin API's documentation", () => {
  it("names every hook of the kernel", function () {
    let readme = "";
    try {
      readme = read("plugin-api/README.md");
    } catch {
      this.skip();
    }

    expect(Object.keys(kernelHooks).filter((hook) => !readme.includes(`\`${hook}\``))).to.deep.equal([]);
  });
});
