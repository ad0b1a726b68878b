import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";
import { codeIn, section, tableRows } from "./markdown-tables.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** Addresses of files that pages ask for by themselves, and of what is there for the developers of a look. */
const NOT_FOR_READERS = new Set([
  "static",
  "static-plugins",
  "page-scripts",
  "patterns",
  "config",
  "messages",
]);

describe("what the documentation says of a server with everything switched on", () => {
  let rowhouse: TestRowhouse;
  let folder: string;
  let prose: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "rowhouse-docs-"));
    rowhouse = await rowhouseFor({ options: { internal: join(folder, "internal.db"), root: true } });
    const docs = join(ROOT, "docs");
    const names = await readdir(docs, { recursive: true });
    const pages = names.filter((name) => name.endsWith(".md") && name !== "hooks.md");
    prose = (await Promise.all(pages.map((name) => readFile(join(docs, name), "utf8")))).join("\n");
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("names every permission with its short name and default", async () => {
    const page = await readFile(join(ROOT, "docs/permissions-and-tokens.md"), "utf8");
    const listed = tableRows(section(page, "Permissions"))
      .filter((row) => row.length === 4)
      .map(([name = "", short = "", , standard = ""]) => [
        codeIn(name)[0],
        codeIn(short)[0] ?? null,
        standard,
      ]);
    const registered = [...rowhouse.rowhouse.permissions.registered.values()].map((permission) => [
      permission.name,
      permission.abbr,
      permission.default ? "allow" : "deny",
    ]);

    expect(listed).to.have.deep.members(registered);
  });

  it("names every path below /-/, of the server and of databases, tables and rows", () => {
    const paths = rowhouse.rowhouse.routes.map(({ path }) => (path instanceof RegExp ? path.source : path));
    const names = paths.flatMap(
      (path) => /(?<!\(\?!\\?)-\\?\/([a-z-]+)/.exec(path.replaceAll("(?!-\\/)", ""))?.[1] ?? [],
    );

    expect(names.length).to.be.above(20);
    const missing = [...new Set(names)].filter(
      (name) => !NOT_FOR_READERS.has(name) && !prose.includes(`/-/${name}`),
    );
    expect(missing).to.deep.equal([]);
  });
});
