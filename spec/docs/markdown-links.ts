import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../architecture/source-tree.js";

/** A page without its fenced blocks and code, in which nothing is a link. */
export const prose = (page: string): string =>
  readFileSync(join(ROOT, page), "utf8")
    .replace(/^( *)(`{3,})[^\n]*\n[^]*?^\1\2 *$/gm, "")
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ""));

/** Where a page leads to within the repository: `../docs/tutorial.md#sql`. */
export const linksOf = (page: string): readonly string[] =>
  [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
