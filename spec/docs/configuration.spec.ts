import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { declaredSettings } from "rowhouse";
import { bundledPlugins } from "rowhouse/plugins";
import type { SettingValue } from "rowhouse/plugin-api";
import { workplace } from "../cli/command.js";
import { allServeOptions, serveOptions } from "../../cli/arguments/serve-options.js";
import type { Option } from "../../cli/arguments/options.js";
import { keysOf } from "../../plugins/metadata/kinds.js";
import { codeIn, section, tableRows } from "./markdown-tables.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const page = readFileSync(join(ROOT, "docs/configuration.md"), "utf8");

/** The unit that a setting's name tells. */
const UNITS: readonly (readonly [suffix: RegExp, unit: string])[] = [
  [/_ms$/, "milliseconds"],
  [/_ttl$/, "seconds"],
  [/_kb$/, "KiB"],
  [/_mb$/, "MiB"],
  [/_bytes$/, "bytes"],
];

describe("docs/configuration.md", () => {
  describe("the table of settings", () => {
    const rows = tableRows(section(page, "Settings"));
    const declared = [...declaredSettings(bundledPlugins).values()];

    it("has every setting with its default, in the order of --help-settings", () => {
      const shown = rows.map(([name = "", value = ""]) => [codeIn(name)[0], value.replaceAll("`", "")]);

      expect(shown).to.deep.equal(declared.map((setting) => [setting.name, written(setting.default)]));
    });

    it("names the unit of every number", () => {
      for (const [index, setting] of declared.entries()) {
        const unit = rows[index]?.[2] ?? "";
        const told = UNITS.find(([suffix]) => suffix.test(setting.name))?.[1];
        if (typeof setting.default === "number") expect(unit, setting.name).to.not.equal("");
        if (told !== undefined) expect(unit, setting.name).to.equal(told);
      }
    });
  });

  it("names every variable of the environment that the command reads", () => {
    const sources = readdirSync(join(ROOT, "cli"), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.c?ts$/.test(name))
      .map((name) => readFileSync(join(ROOT, "cli", name), "utf8"))
      .join("\n");
    const read = [...sources.matchAll(/"((?:ROWHOUSE|SQLITE|UV)_[A-Z_]+)"/g)].map(([, name = ""]) => name);
    const listed = tableRows(section(page, "Environment")).flatMap((row) => row.flatMap(codeIn));

    expect(read.length).to.be.above(5);
    expect(read.filter((name) => !OWN_VARIABLES.has(name) && !listed.includes(name))).to.deep.equal([]);
  });

  describe("the tables of metadata keys", () => {
    const rows = tableRows(section(page, "Metadata"));
    const allLevels = ["instance", "database", "table"];
    const keysAt = (level: string): readonly string[] =>
      rows.flatMap(([keys = "", levels = ""]) =>
        (levels === "all" ? allLevels : levels.split(", ")).includes(level) ? codeIn(keys) : [],
      );

    for (const level of ["instance", "database", "table"] as const) {
      it(`have every key that is checked on the level ${level}, and beside them those of permissions and names`, () => {
        const documented = keysAt(level).filter((key) => !STRUCTURE.has(key));

        expect(documented).to.have.members(Object.keys(keysOf[level]));
      });
    }

    it("have every key of queries", () => {
      const own = tableRows(section(page, "Queries")).flatMap(([keys = ""]) => codeIn(keys));
      const known = Object.keys(keysOf.query).filter((key) => !(key in keysOf.database));

      expect(own).to.include.members(known);
    });
  });

  describe("the tables of serve's options", () => {
    const documented = section(page, "Options of serve");

    it("have every option under its heading, with its short form and its key", () => {
      const headings = new Set(allServeOptions.map(({ heading }) => heading));
      for (const heading of headings) {
        const shown = tableRows(section(documented, heading.replace(/:$/, "")))
          .filter(([option = ""]) => option.includes("--"))
          .map(([option = "", key = ""]) => `${option} ${key}`.trim());
        const expected = allServeOptions.filter((option) => option.heading === heading).map(asDocumented);

        expect(shown).to.have.members(expected);
      }
    });
  });

  describe("the other commands", () => {
    const place = workplace();
    /** Of the commands under a command. */
    async function optionsOfTargets(name: string, help: string): Promise<readonly string[]> {
      const names = [...help.matchAll(new RegExp(`^ {2}rowhouse ${name} ([a-z-]+) `, "gm"))].map(
        ([, inner = ""]) => inner,
      );
      const helps = await Promise.all(names.map((inner) => place.call([name, inner, "--help"])));
      return helps.flatMap(({ stdout }) => optionsOf(stdout));
    }

    it("are all there, with every option of their own", async () => {
      const overview = await place.call(["--help"]);
      const names = [...overview.stdout.matchAll(/^ {2}rowhouse ([a-z-]+) /gm)].map(([, name = ""]) => name);
      expect(names).to.include("serve");

      // These take what `serve` takes.
      const others = names.filter((one) => !["serve", "dev", "config"].includes(one));
      const helps = await Promise.all(
        others.map(async (name) => [name, (await place.call([name, "--help"])).stdout] as const),
      );
      for (const [name, stdout] of helps) {
        const known = [...optionsOf(stdout), ...(await optionsOfTargets(name, stdout))];
        const shown = documentedAt(name);
        const explained = new Set([...SHARED, ...explainedElsewhere(name, known)]);
        const own = (options: readonly string[]): string[] => [
          ...new Set(options.filter((option) => !explained.has(option))),
        ];

        expect(own(shown), name).to.have.members(own(known));
      }
    }).timeout(300_000);
  });
});

/** Keys that make the tree, and those about permissions, which are checked elsewhere. */
const STRUCTURE: ReadonlySet<string> = new Set([
  "databases",
  "tables",
  "queries",
  "allow",
  "allow_sql",
  "permissions",
]);

/** By which processes of one command know each other. */
const OWN_VARIABLES: ReadonlySet<string> = new Set([
  "ROWHOUSE_SUPERVISED",
  "ROWHOUSE_DEV_ADDRESS",
  "ROWHOUSE_WORKER",
]);

/** A command that takes a port takes all options of `serve`. */
const SERVE = allServeOptions.map(({ name }) => name);

/** Options that the page explains once for all commands. */
const SHARED: ReadonlySet<string> = new Set([
  "internal",
  "help",
  "version",
  "config",
  "no-config",
  "plugins-dir",
  "secret",
]);

function written(value: SettingValue): string {
  if (typeof value !== "boolean") return String(value);
  return value ? "on" : "off";
}

/** `` `-p`, `--port INTEGER` `port` `` */
function asDocumented(option: Option): string {
  const short = option.short === undefined ? "" : `\`-${option.short}\`, `;
  const value = option.value === undefined ? "" : ` ${option.value}`;
  return `${short}\`--${option.name}${value}\` ${keyOf(option)}`.trim();
}

function keyOf(option: Option): string {
  if (option.commandLineOnly === true) return "";
  if (option.name === "setting") return "`settings`";
  return `\`${serveOptions.find(({ name }) => name === option.name)?.key ?? option.name}\``;
}

const optionsOf = (help: string): readonly string[] =>
  [...help.matchAll(/^ +(?:-\w, )? *--([a-z-]+) /gm)].map(([, option = ""]) => option);

const documentedAt = (name: string): readonly string[] =>
  tableRows(section(page, `rowhouse ${name}`)).flatMap(([cell = ""]) =>
    codeIn(cell).flatMap((code) => /^--([a-z-]+)(?!.*_)/.exec(code)?.[1] ?? []),
  );

function explainedElsewhere(name: string, known: readonly string[]): readonly string[] {
  if (name === "package") return documentedAt("publish");
  return known.includes("port") ? SERVE : [];
}
