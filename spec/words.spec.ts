import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Folders whose pages are not part of the documentation. */
const SKIPPED_FOLDERS = new Set(["node_modules", "dist", ".git"]);
/** The history of changes keeps the words of its time. */
const SKIPPED_PAGES = new Set(["CHANGELOG.md"]);

/** Words that the documentation does not use, each with the term to use instead (`docs/glossary.md`). */
const BANNED: readonly (readonly [words: RegExp, instead: string])[] = [
  [/\bsaved quer(?:y|ies)\b/i, "canned query"],
  [/\bstrangers?\b/i, "client, untrusted SQL"],
  [/\bSQL (?:of (?:a )?callers?|that callers write)\b/i, "untrusted SQL"],
  [/\bPostgres\b/, "PostgreSQL"],
  [/\bwhoever\b/i, "a noun: clients, actors, authors"],
  [/\b(?:every|some|a(?:ny)|no)body(?:'s)?\b/i, "a noun: no client, all actors, a plugin"],
  [/\b(?:am|is|are|was|were|be|been|being) told\b/i, "receives, gets"],
  [/\b(?:am|is|are|was|were|be|been|being) asked\b/i, "is called, is requested, is checked"],
  [/\b(?:go|goes|going|gone|went) on\b/i, "continue"],
  [/\blet(?:s|ting)? go of\b/i, "delete, release"],
  [/\bst(?:and|ands|anding|ood)\b(?!-)/i, "is, means, is written"],
  [/\bto be had\b/i, "available"],
  [/\bfor nothing\b/i, "for free, without a result"],
  [/\byeses\b/i, "grants: one denial overrides any number of grants"],
  [/\banew\b/i, "again"],
  [/\bmakes? of it\b/i, "name the result"],
  [/\bbrings? (?:along|with it)\b/i, "contains, includes"],
];

/** All Markdown pages below a folder, as paths from the root of the repository. */
function pagesIn(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED_FOLDERS.has(entry.name) ? [] : pagesIn(path);
    return entry.name.endsWith(".md") && !SKIPPED_PAGES.has(path) ? [path] : [];
  });
}

/** The text of a page without code and without the targets of links, in which names of the software appear. */
const proseOf = (page: string): string =>
  readFileSync(join(ROOT, page), "utf8")
    .replace(/^( *)(`{3,})[^\n]*\n[^]*?^\1\2 *$/gm, "")
    .replace(/`[^`\n]*`/g, "")
    .replace(/\]\([^)\s]*\)/g, "]");

/** Folders with source files, whose comments and titles of specs are checked. */
const SOURCE_FOLDERS = ["bench", "build", "cli", "core", "demo", "examples", "plugin-api", "plugins", "spec"];
/** This file contains the banned words. */
const SKIPPED_SOURCES = new Set(["spec/words.spec.ts"]);

/** All source files below a folder, as paths from the root of the repository. */
function sourcesIn(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED_FOLDERS.has(entry.name) ? [] : sourcesIn(path);
    return /\.m?ts$|\.mjs$|\.css$|\.template$/.test(entry.name) && !SKIPPED_SOURCES.has(path) ? [path] : [];
  });
}

const COMMENT = /\/\*\*?[^]*?\*\/|^\s*\/\/.*$|\s\/\/ .*$/gm;
const TITLE = /\b(?:describe|it|test)\(\s*(["`])((?:\\.|(?!\1)[^])*)\1/g;

/** The comments and titles of a source file without the names in backticks, a line each. All of a page's template. */
function proseInSource(path: string): string {
  const code = readFileSync(join(ROOT, path), "utf8");
  if (path.endsWith(".md.template")) return code;
  const comments = code.match(COMMENT) ?? [];
  const titles = [...code.matchAll(TITLE)].map(([, , title = ""]) => title.replace(/\$\{[^}]*\}/g, ""));
  return [...comments.map((comment) => comment.replace(/`[^`\n]*`/g, "")), ...titles].join("\n");
}

/** The banned words of a text, each with the line and the term to use instead. */
const bannedIn = (text: string): readonly string[] =>
  text
    .split("\n")
    .flatMap((line) =>
      BANNED.flatMap(([words, instead]) =>
        (line.match(words) ?? []).map((found) => `${found} (write: ${instead}): ${line.trim().slice(0, 80)}`),
      ),
    );

describe("the words of the documentation", () => {
  const pages = pagesIn(".");

  it("are checked at all", () => {
    expect(pages.length).to.be.above(20);
    expect(bannedIn("A plugin is told of a saved query. Nobody goes on.")).to.have.length(4);
    expect(bannedIn("The standard answer: the client continues.")).to.deep.equal([]);
  });

  for (const page of pages) {
    it(`have one term for each thing: ${page}`, () => {
      expect(bannedIn(proseOf(page))).to.deep.equal([]);
    });
  }
});

describe("the words of comments and titles of specs", () => {
  const sources = SOURCE_FOLDERS.flatMap(sourcesIn);

  it("have one term for each thing", () => {
    const found = sources.flatMap((path) => bannedIn(proseInSource(path)).map((line) => `${path}: ${line}`));

    expect(sources.length).to.be.above(500);
    expect(found).to.deep.equal([]);
  });
});
