import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { kernelSettings } from "rowhouse/plugin-api/kernel";
import { bundledPlugins } from "rowhouse/plugins";
import { ROOT } from "./source-tree.js";

/** `rowhouse.service("tables")`: the answer is relied on. */
const RELIED_ON = /\.service\(\s*"(\w+)"\s*\)/g;
/** `rowhouse.serviceIfAny("tables")`: the answer may be null. */
const TRIED = /\.serviceIfAny\(\s*"(\w+)"\s*\)/g;
const PROVIDED = /\.provide\(\s*"(\w+)"/g;

const sourceOf = (plugin: string): string =>
  readdirSync(join(ROOT, "plugins", plugin), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(ROOT, "plugins", plugin, name), "utf8"))
    .join("\n")
    // What these functions of the plugin API do.
    .replaceAll(/\bcurrentMetadata\(/g, 'rowhouse.serviceIfAny("metadata")(')
    .replaceAll(/\bcolumnTypesOf\(/g, 'rowhouse.serviceIfAny("columnTypes")(');

const namesIn = (source: string, form: RegExp): readonly string[] =>
  [...new Set([...source.matchAll(form)].map(([, name = ""]) => name))].toSorted();

describe("the services of bundled plugins", () => {
  for (const { name, provides = [], requires = [], optional = [] } of bundledPlugins) {
    it(`${name} declares those that it provides, requires and uses where they exist`, () => {
      const source = sourceOf(name);
      const own: readonly string[] = provides;
      const foreign = (form: RegExp): readonly string[] =>
        namesIn(source, form).filter((service) => !own.includes(service));

      expect(namesIn(source, PROVIDED)).to.deep.equal(own.toSorted());
      // A service that is required may also be tried: the plugin is written to work without it elsewhere.
      expect(
        foreign(RELIED_ON).filter((one) => !(requires as readonly string[]).includes(one)),
      ).to.deep.equal(OFFERED_WITH_ITS_SERVICE[name] ?? []);
      expect(foreign(TRIED)).to.deep.equal(optional.toSorted());
      expect(requires.filter((one) => (optional as readonly string[]).includes(one))).to.deep.equal([]);
    });
  }
});

/** `rowhouse.setting("max_csv_mb")`: throws if no loaded plugin declares the setting. */
const READ = /\.setting\(\s*"(\w+)"\s*\)/g;

/** Every database has an engine, and an engine that replaces this one declares its settings that others read. */
const ENGINE = "sqlite";

describe("the settings that bundled plugins read", () => {
  for (const plugin of bundledPlugins) {
    it(`${plugin.name} reads settings of the kernel, of the engine, and of plugins whose services it requires`, () => {
      const required = new Set<string>(plugin.requires ?? []);
      const present = bundledPlugins.filter(
        (one) =>
          one === plugin ||
          one.name === ENGINE ||
          (one.provides ?? []).some((service) => required.has(service)),
      );
      const declared = new Set(
        [...kernelSettings, ...present.flatMap(({ settings = [] }) => settings)].map(({ name }) => name),
      );

      expect(namesIn(sourceOf(plugin.name), READ).filter((name) => !declared.has(name))).to.deep.equal([]);
    });
  }
});

/** Services used by routes that are registered only where the service exists. */
const OFFERED_WITH_ITS_SERVICE: Readonly<Record<string, readonly string[]>> = {
  "write-api": ["columnTypes"],
};
