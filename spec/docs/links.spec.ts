import { existsSync, readdirSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect } from "chai";
import { ROOT } from "../architecture/source-tree.js";
import { linksOf, prose } from "./markdown-links.js";

const NOT_OURS = new Set(["node_modules", "dist", ".git"]);

/** Every Markdown file of the repository, from its root. */
function pagesIn(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return NOT_OURS.has(entry.name) ? [] : pagesIn(path);
    return entry.name.endsWith(".md") ? [path] : [];
  });
}

/** The anchors of a page's headings, as the usual renderers make them. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = [...prose(page).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = ""]) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

describe("links of the documentation", () => {
  const pages = pagesIn(".");

  it("are found at all", () => {
    expect(pages.flatMap(linksOf).length).to.be.above(100);
  });

  for (const page of pages) {
    it(`lead somewhere: ${page}`, () => {
      const broken = linksOf(page).filter((link) => {
        const [path = "", anchor] = link.split("#");
        const target = path === "" ? page : normalize(join(dirname(page), path));
        if (!existsSync(join(ROOT, target))) return true;
        return anchor !== undefined && target.endsWith(".md") && !anchorsOf(target).has(anchor);
      });

      expect(broken).to.deep.equal([]);
    });
  }

  it("lead to every page of docs/ from its index", () => {
    const listed = new Set(linksOf("docs/README.md").map((link) => normalize(join("docs", link))));
    const missing = pages.filter(
      (page) => page.startsWith("docs/") && page !== "docs/README.md" && !listed.has(page),
    );

    expect(missing).to.deep.equal([]);
  });
});
