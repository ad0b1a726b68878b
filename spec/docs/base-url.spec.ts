import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect } from "chai";
import type { Plugin } from "rowhouse/plugin-api";
import { rowhouseFor } from "../harness/index.js";
import { fencesOf } from "./markdown.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const tables = { books: [{ id: 1, title: "Emma" }] };
const base = { tables, settings: { base_url: "/data/" } };

/** The links of the menu "Table actions", by their labels. */
const actions = (page: string): ReadonlyMap<string, string> =>
  new Map(
    [...page.matchAll(/<a href="([^"]*)"[^>]*>([^<]*?)\s*<(?:p|\/a)/g)].map(([, href = "", label = ""]) => [
      label.trim(),
      href,
    ]),
  );

describe("links of plugins below base_url", () => {
  const folder = mkdtempSync(join(tmpdir(), "rowhouse-base-url-"));

  before(() => {
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(ROOT, join(folder, "node_modules/rowhouse"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("lead to the page of the plugin in docs/plugins.md", async () => {
    const last = fencesOf(readFileSync(join(ROOT, "docs/plugins.md"), "utf8"))
      .filter(({ title }) => title === "surprise.mjs")
      .at(-1);
    writeFileSync(join(folder, "surprise.mjs"), last?.text ?? "");
    const surprise = (await import(pathToFileURL(join(folder, "surprise.mjs")).href)) as { default: Plugin };
    const { get } = await rowhouseFor({ ...base, plugins: [surprise.default] });

    const { text } = await get("/data/library/books");
    const { status, headers } = await get(actions(text).get("Surprise me") ?? "no link");

    expect(status).to.equal(302);
    expect(headers.location).to.equal("/data/library/books/1");
  });

  it("lead to the page of the plugin edit-schema", async () => {
    const file = pathToFileURL(join(ROOT, "examples/edit-schema/dist/src/index.js")).href;
    const editSchema = (await import(file)) as { default: Plugin };
    const { get } = await rowhouseFor({ ...base, plugins: [editSchema.default] });

    const { text } = await get("/data/library/books", { as: "root" });
    const { status } = await get(actions(text).get("Edit schema") ?? "no link", { as: "root" });

    expect(status).to.equal(200);
  });
});
