import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { readTree, ROOT } from "./source-tree.js";

const product = readTree().filter(({ path }) => /^(?:core|plugins|plugin-api|cli)\//.test(path));
const filesWith = (text: RegExp): readonly string[] =>
  product
    .filter(({ path }) => text.test(readFileSync(join(ROOT, path), "utf8")))
    .map(({ path }) => path)
    .toSorted();

describe("Bundled plugins have no privilege:", () => {
  it("only plugin loading imports their list", () => {
    expect(filesWith(/rowhouse\/plugins|\bbundledPlugins\b/)).to.deep.equal([
      "cli/commands/inspect.ts",
      "cli/configuration/kernel-options.ts",
      "cli/plugins/own-modules.ts",
      "plugins/index.ts",
    ]);
  });

  it("no loaded plugin can see whether it is bundled", () => {
    expect(
      filesWith(/\bbundled: (?:true|false|boolean)|\bisBundled\b|\b(?:tap|plugin|loaded|input)\.bundled\b/),
    ).to.deep.equal([]);
  });

  it("only the list at /-/plugins and the command doctor use the list that the loader gives", () => {
    expect(filesWith(/\binstalledPlugins\b/)).to.deep.equal([
      "cli/configuration/kernel-options.ts",
      "plugin-api/contracts/plugin-config.ts",
      "plugins/doctor/installation.ts",
      "plugins/introspection/documents.ts",
    ]);
  });
});
