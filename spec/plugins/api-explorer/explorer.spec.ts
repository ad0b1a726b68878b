import { expect } from "chai";
import { type TestRowhouse, rowhouseFor } from "rowhouse/testing";
import { indentJson } from "rowhouse/plugin-api/json";

const WRITERS = { id: ["mary"] };

describe("the API explorer", () => {
  it("links to everything that anonymous clients may read", async () => {
    const { html } = await page(await served());

    expect(html).to.include('href="/-/api?path=%2Flibrary.json"');
    expect(html).to.include('href="/-/api?path=%2Flibrary%2Fbooks.json"');
    expect(html).to.include("old");
    expect(html).not.to.include("/-/insert");
  });

  it("names nothing that is hidden from the visitor", async () => {
    const rowhouse = await served({
      databases: { library: { tables: { diaries: { allow: { id: "root" } } } } },
    });

    expect((await page(rowhouse)).html).not.to.include("diaries");
    expect((await page(rowhouse, "root")).html).to.include("diaries");
  });

  it("offers each way of writing to those who hold its permissions", async () => {
    const rowhouse = await served({
      databases: { library: { permissions: { "insert-row": WRITERS, "update-row": WRITERS } } },
    });

    const { html } = await page(rowhouse, "mary");

    const labels = [...html.matchAll(/data-endpoint[^>]*>\s*([^<]+?)\s*</g)].map(([, label]) => label);
    const perTable = ["Get rows", "Insert rows", "Upsert rows", "Update a row"];
    expect(labels).to.deep.equal(["Get the database", ...perTable, ...perTable, "Get rows"]);
    expect((await page(rowhouse, "somebody")).html).not.to.include("Insert rows");
  });

  it("shows the answer to a GET without scripting, with the visitor's own permissions", async () => {
    const rowhouse = await served({
      databases: { library: { tables: { diaries: { allow: { id: "root" } } } } },
    });

    const anonymous = await rowhouse.get("/-/api?path=/library/diaries.json");
    const asRoot = await rowhouse.get("/-/api?path=/library/diaries.json", { as: "root" });

    expect(anonymous.text).to.match(/status-bad">403</);
    expect(asRoot.text).to.match(/status-good">200</);
    expect(asRoot.text).to.include("hush");
    expect(anonymous.text).not.to.include("hush");
  });

  for (const path of ["https://example.org/", "//example.org/", "library.json", "/-/api?path=/"]) {
    it(`does not ask for ${path}`, async () => {
      const { text } = await (await served()).get(`/-/api?path=${encodeURIComponent(path)}`);

      expect(text).to.include("Only paths of this site");
    });
  }

  it("is closed to those who may not see the instance", async () => {
    const rowhouse = await served({ allow: false });

    expect((await rowhouse.get("/-/api")).status).to.equal(403);
  });
});

describe("laying out JSON", () => {
  const cases = [
    ['{"a": 1, "b": [1, 2], "c": {}}', '{\n  "a": 1,\n  "b": [\n    1,\n    2\n  ],\n  "c": {}\n}'],
    ["[]", "[]"],
    ['"a \\"{[, b"', '"a \\"{[, b"'],
    ["[12345678901234567890, 1.10]", "[\n  12345678901234567890,\n  1.10\n]"],
  ] as const;
  for (const [json, expected] of cases) {
    it(`lays out ${json}`, () => {
      expect(indentJson(json)).to.equal(expected);
    });
  }
});

async function page(rowhouse: TestRowhouse, as?: string): Promise<{ readonly html: string }> {
  const { status, text } = await rowhouse.get("/-/api", as === undefined ? {} : { as });
  expect(status).to.equal(200);
  return { html: text };
}

const served = (metadata: object = {}): Promise<TestRowhouse> =>
  rowhouseFor({
    tables: { books: [{ id: 1, title: "Emma" }], diaries: [{ id: 1, text: "hush" }] },
    views: { old: "select * from books" },
    metadata,
  });
