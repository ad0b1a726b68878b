import { createReadStream, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import * as access from "rowhouse/plugin-api/access";
import * as engine from "rowhouse/plugin-api/engine";
import * as errors from "rowhouse/plugin-api/errors";
import * as html from "rowhouse/plugin-api/html";
import * as http from "rowhouse/plugin-api/http";
import * as json from "rowhouse/plugin-api/json";
import * as kernel from "rowhouse/plugin-api/kernel";
import * as metadata from "rowhouse/plugin-api/metadata";
import * as names from "rowhouse/plugin-api/names";
import * as sql from "rowhouse/plugin-api/sql";
import { definePlugin, type Visit } from "rowhouse/plugin-api";
import { requestInside } from "rowhouse/plugin-api/http";
import { rowhouseFor } from "../harness/index.js";

const ROOT = fileURLToPath(new URL("../../../plugin-api/", import.meta.url));

const api: Readonly<Record<string, unknown>> = {
  ...access,
  ...engine,
  ...errors,
  ...html,
  ...http,
  ...json,
  ...kernel,
  ...metadata,
  ...names,
  ...sql,
};

interface Documented {
  readonly name: string;
  readonly kind: string;
  readonly docstring: string;
}

const EXPORT =
  /(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\n)?^export (?:abstract )?(?:async )?(function|class|const) (\w+)(.*)$/gm;

const exported: readonly Documented[] = readdirSync(ROOT, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .flatMap((file) => [...readFileSync(join(ROOT, file), "utf8").matchAll(EXPORT)])
  .map(([, docstring = "", kind = "", name = "", rest = ""]) => ({
    name,
    kind: rest.includes("extends") ? "error" : kind,
    docstring: docstring.replaceAll(/^ *\* ?/gm, ""),
  }))
  .filter(({ name }) => name in api);

const exampleIn = ({ docstring }: Documented): string | null =>
  /@example\n([^]*?)(?:\n@|\n? *$)/.exec(docstring)?.[1]?.trimEnd() ?? null;

const COMPARISON = /^(?<before> *(?:for await \(.*\) )?)(?<expression>.+?); \/\/ (?<value>.*)$/gm;

/** `expression; // value` becomes a comparison; a value on the next line belongs to the expression before it. */
const comparisons = (code: string): string =>
  code.replaceAll(/;\n\/\/ /g, "; // ").replaceAll(COMPARISON, "$<before>compare($<expression>, $<value>);");

const AsyncFunction = async function () {}.constructor as new (
  ...words: readonly string[]
) => (...values: readonly unknown[]) => Promise<void>;

/** Names that the examples use beside those of the API. */
async function surroundings(): Promise<Readonly<Record<string, unknown>>> {
  let visit: Visit | null = null;
  const witness = definePlugin({
    name: "witness",
    before_view: (_rowhouse, args) => {
      visit = args.visit;
    },
  });
  const { rowhouse, get, file } = await rowhouseFor({
    tables: { books: [{ id: 1, title: "Emma", author: "Jane" }], closed: [{ id: 1 }] },
    metadata: { databases: { library: { tables: { closed: { allow: false } } } } },
    plugins: [witness],
  });
  await get("/library/books");
  const database = rowhouse.database("library");
  const schema = await database.schema();
  return {
    createReadStream,
    rowhouse,
    visit,
    request: requestInside(rowhouse, "/library/books", {}),
    actor: { id: "ann" },
    database,
    schema,
    table: schema.tables.get("books"),
    tables: ["books", "closed"],
    file: file(),
    error: new Error("no room"),
    rows: [1, 2],
    write: () => undefined,
  };
}

describe("the examples of rowhouse/plugin-api", () => {
  let served: Readonly<Record<string, unknown>> = {};

  before(async () => {
    served = await surroundings();
  });

  it("exist for each function and class that is not an error", () => {
    const missing = exported.filter(
      (one) => !["error", "const"].includes(one.kind) && exampleIn(one) === null,
    );
    const functions = exported.filter(
      ({ name, kind }) => kind === "const" && typeof api[name] === "function",
    );

    expect(missing.map(({ name }) => name)).to.deep.equal([]);
    expect(functions.filter((one) => exampleIn(one) === null).map(({ name }) => name)).to.deep.equal([]);
  });

  for (const one of exported) {
    const code = exampleIn(one);
    if (code === null) continue;
    it(`of ${one.name} does what it says`, async () => {
      const values = { ...api, ...served };
      const declared = new Set(
        [...code.matchAll(/^(?:const|let) (?:(\w+)|\{ (.*?) \})/gm)].flatMap((match) =>
          (match[1] ?? match[2] ?? "").split(", "),
        ),
      );
      const names = Object.keys(values).filter((name) => !declared.has(name));
      let compared = 0;
      const compare = (actual: unknown, value: unknown): void => {
        compared += 1;
        expect(actual).to.deep.equal(value);
      };
      const body = comparisons(code);

      await new AsyncFunction("compare", ...names, body)(
        compare,
        ...names.map((name) => values[name as keyof typeof values]),
      );

      expect(compared, body).to.equal([...code.matchAll(/; ?\n?\/\/ /g)].length);
    });
  }
});
