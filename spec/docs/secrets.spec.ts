import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { secretProblem } from "../../cli/configuration/secret.js";
import { ROOT } from "../architecture/source-tree.js";

/** Values of `--secret` and `ROWHOUSE_SECRET`, and texts as long as a random secret. */
const SECRETS = /(?:--secret[ =]|ROWHOUSE_SECRET=)'?([\w-]{8,})|\b([0-9a-f]{64})\b/g;

const pages = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" }).filter((path) =>
  path.endsWith(".md"),
);

describe("A secret in the docs", () => {
  it("is one that the server warns about", () => {
    const published = pages.flatMap((page) =>
      [...readFileSync(join(ROOT, "docs", page), "utf8").matchAll(SECRETS)].map(
        ([, given, random]) => given ?? random ?? "",
      ),
    );

    const trusted = published.filter(
      (secret) =>
        secretProblem([secret]) !== "The secret is an example of the documentation, which is public",
    );
    expect(published).to.include("only-for-these-examples-and-long-enough-for-it");
    expect([...new Set(trusted)]).to.deep.equal([]);
  });
});
