import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { architecturePage } from "../../build/reference/architecture-page.js";
import { codeIn, section, tableRows } from "./markdown-tables.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const firstCells = (text: string): readonly string[] =>
  tableRows(text).flatMap(([first = ""]) => codeIn(first));

describe("docs/architecture.md", () => {
  it("lists the bundled plugins in firing order (npm run docs brings it up to date)", async () => {
    expect(read("docs/architecture.md")).to.equal(await architecturePage(ROOT));
  });
});

describe("docs/dependencies.md", () => {
  const page = read("docs/dependencies.md");
  const manifest = JSON.parse(read("package.json")) as Manifest;

  it("gives a reason for each dependency, and for none that is gone", () => {
    expect(firstCells(section(page, "At run time"))).to.have.members(Object.keys(manifest.dependencies));
  });

  it("gives a reason for each tool", () => {
    expect(firstCells(section(page, "For development"))).to.have.members(
      Object.keys(manifest.devDependencies),
    );
  });
});
