import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { declaredSettings } from "rowhouse";
import * as errors from "rowhouse/plugin-api/errors";
import { bundledPlugins } from "rowhouse/plugins";
import { apiPage } from "../../build/reference/api-page.js";
import { interfaceMembers, literalMembers } from "../../build/reference/declarations.js";
import { hookTable } from "../../build/reference/hook-table.js";
import { codeIn, section, tableRows } from "./markdown-tables.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const page = readFileSync(join(ROOT, "plugin-api/README.md"), "utf8");

const firstCells = (heading: string): readonly string[] =>
  tableRows(section(page, heading)).flatMap(([first = ""]) => codeIn(first));

const sources = readdirSync(join(ROOT, "plugin-api"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => readFileSync(join(ROOT, "plugin-api", name), "utf8"));

describe("plugin-api/README.md", () => {
  it("has the hooks and settings that there are (npm run docs brings it up to date)", async () => {
    const settings = declaredSettings(bundledPlugins).keys();

    expect(page).to.equal(await apiPage(ROOT, hookTable(ROOT), settings));
  });

  it("lists every service", () => {
    const services = sources.flatMap((source) => interfaceMembers(source, "Services"));

    expect(firstCells("Services")).to.have.members([...new Set(services.map(({ name }) => name))]);
  });

  it("lists the members of every service", () => {
    const listed = new Map(
      tableRows(section(page, "Services")).map(([name = "", , members = ""]) => [
        codeIn(name)[0],
        codeIn(members).map((code) => /^\w+/.exec(code)?.[0]),
      ]),
    );
    const services = sources.flatMap((source) => interfaceMembers(source, "Services"));
    const missing = services
      .filter(({ name }) => !BEHIND_THE_SERVICE_OBJECT.has(name))
      .flatMap(({ name, type }) => membersOfType(type).map((member) => ({ name, ...member })))
      .filter(({ name, member, doc }) => !listed.get(name)?.includes(member) && !doc.includes("@deprecated"))
      .map(({ name, member }) => `${name}.${member}`);

    expect(missing).to.deep.equal([]);
  });

  it("lists every error", () => {
    const classes = Object.entries(errors).flatMap(([name, value]) =>
      typeof value === "function" && value.prototype instanceof Error && name !== "RowhouseError"
        ? [name]
        : [],
    );

    expect(firstCells("Errors").filter((name) => /^[A-Z][a-z]/.test(name))).to.have.members(classes);
  });

  it("lists every member of the service object", () => {
    const listed = new Set(firstCells("The service object").map((code) => /^\w+/.exec(code)?.[0]));

    expect(membersOf("Rowhouse").filter((name) => !listed.has(name))).to.deep.equal([]);
  });
});

/** Plugins call these services by members of the service object, which its own table lists. */
const BEHIND_THE_SERVICE_OBJECT: ReadonlySet<string> = new Set(["authorizer", "pluginConfig", "pluginGuard"]);

/** The members of a type that is written there, or of an interface of the plugin API. */
const membersOfType = (type: string): readonly { readonly member: string; readonly doc: string }[] =>
  (type.startsWith("{")
    ? literalMembers(type)
    : sources.flatMap((source) => interfaceMembers(source, type))
  ).map(({ name, doc }) => ({ member: name, doc }));

/** The names of the members of an interface of the plugin API. */
const membersOf = (name: string): readonly string[] => {
  const [, body = ""] = new RegExp(`interface ${name} \\{([^]*?)\n\\}`).exec(sources.join("\n")) ?? [];
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[<(:]/gm)].map(([, member = ""]) => member);
};

describe("docs/engines.md", () => {
  const engines = readFileSync(join(ROOT, "docs/engines.md"), "utf8");
  const sections = {
    Database: "The members of Database",
    Capabilities: "Capabilities",
    Dialect: "The dialect",
    ReadOptions: "Options of reads",
    WriteOptions: "Options of writes",
  };

  for (const [name, heading] of Object.entries(sections)) {
    it(`lists every member of ${name}`, () => {
      const cells = tableRows(section(engines, heading)).flatMap(([first = ""]) => codeIn(first));
      const listed = new Set(cells.map((code) => /^\w+/.exec(code)?.[0]));

      expect(membersOf(name).filter((member) => !listed.has(member))).to.deep.equal([]);
    });
  }
});

describe("docs/browser-api.md", () => {
  it("lists every function and class of rowhouse/browser", () => {
    const browserApi = readFileSync(join(ROOT, "docs/browser-api.md"), "utf8");
    const index = readFileSync(join(ROOT, "plugin-api/browser/index.ts"), "utf8");
    const names = [...index.matchAll(/^export \{([^}]+)\}/gm)].flatMap(
      ([, list = ""]) => list.match(/\w+/g) ?? [],
    );
    const listed = new Set([...browserApi.matchAll(/`(\w+)/g)].map(([, name]) => name));

    expect(names).to.include("addToSlot");
    expect(names.filter((name) => !listed.has(name))).to.deep.equal([]);
  });
});
