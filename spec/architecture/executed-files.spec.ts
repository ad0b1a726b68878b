import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { ROOT } from "./source-tree.js";

/** The number of files in the docs may be this much higher than the measured one: reply caches and timers vary. */
const TOLERANCE = 4;

const DOCUMENTED = {
  "table page": /\?_size=20`, (\d+) files/,
  insert: /\/-\/insert`, (\d+) files/,
  "permission question": /allowed\(actor, chain\)`, (\d+) files/,
} as const;

describe("the number of files that a request executes", () => {
  const measured = new Map<string, number>();
  before(async function () {
    this.timeout(120_000);
    const { stdout } = await promisify(execFile)(process.execPath, [
      join(ROOT, "dist/bench/executed-files.js"),
    ]);
    for (const [, name = "", count] of stdout.matchAll(/^(.+): (\d+)$/gm)) measured.set(name, Number(count));
  });

  for (const [name, pattern] of Object.entries(DOCUMENTED)) {
    it(`is the documented one: ${name}`, () => {
      const page = readFileSync(join(ROOT, "docs/architecture.md"), "utf8");
      const documented = Number(pattern.exec(page)?.[1]);

      expect(measured.get(name)).to.be.within(documented - TOLERANCE, documented);
    });
  }
});
