import { expect } from "chai";
import { definePlugin, type Plugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

const rows = (count: number, word: string) =>
  Array.from({ length: count }, (_, index) => ({ id: index + 1, name: `${word} ${index + 1}` }));

const tables = { open: rows(9, "open"), hidden: rows(9, "secret") };
const metadata = { databases: { library: { tables: { hidden: { allow: { id: "root" } } } } } };

describe("a paging token", () => {
  let rowhouse: TestRowhouse;
  let token: string;
  before(async () => {
    rowhouse = await rowhouseFor({ tables, metadata });
    const first = await rowhouse.get("/library/hidden.json?_size=2&_sort=name", { as: "root" });
    token = encodeURIComponent(first.json.next);
  });

  it("opens nothing for other actors", async () => {
    expect((await rowhouse.get(`/library/hidden.json?_size=2&_sort=name&_next=${token}`)).status).to.equal(
      403,
    );
  });

  it("of another table or filter is a place among what may be seen, and no more", async () => {
    for (const query of [
      `_sort=name&_next=${token}`,
      `_next=${token}`,
      `name__contains=7&_sort=name&_next=${token}`,
    ]) {
      const { status, text } = await rowhouse.get(`/library/open.json?${query}`);
      expect([query, [200, 400].includes(status)]).to.deep.equal([query, true]);
      expect(status === 200 ? JSON.stringify(JSON.parse(text).rows) : "").not.to.contain("secret");
    }
  });

  const edited = [
    "x,",
    ",",
    ",,,,",
    "%00",
    "-1",
    "1e400",
    "'",
    "~",
    "~zz",
    "$null",
    "\u{1f6a3}",
    "9".repeat(30),
    "x".repeat(9_000),
  ];
  for (const next of edited) {
    it(`that is ${JSON.stringify(next.slice(0, 20))} is refused, or a plain place`, async () => {
      for (const sort of ["", "&_sort=name"]) {
        const reply = await rowhouse.get(
          `/library/open.json?_size=2${sort}&_next=${encodeURIComponent(decodeURIComponent(next))}`,
        );
        expect(reply.status).to.be.oneOf([200, 400, 414, 431]);
      }
    });
  }
});

describe("every format of a hidden table", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({ tables, metadata });
  });
  const paths = [
    "hidden",
    "hidden.json",
    "hidden.json?_shape=array&_nl=on",
    "hidden.json?_shape=object",
    "hidden.json?_extra=count,columns",
    "hidden.json?_extras=count",
    "hidden.csv",
    "hidden.csv?_stream=on",
    "hidden.csv?_labels=on&_header=off",
    "hidden?_format=json",
    "hidden/1",
    "hidden/1.json",
    "hidden/1.json?_extras=foreign_key_tables",
    "hidden/1.blob?_blob_column=name",
    "hidden/1.csv",
  ];
  for (const path of paths) {
    it(`is refused: ${path}`, async () => {
      const reply = await rowhouse.get(`/library/${path}`);

      expect(reply.status).to.be.oneOf([403, 404]);
      expect(reply.text).not.to.contain("secret");
    });
  }
});

describe("a write without one of the rights it needs", () => {
  const writes: readonly (readonly [
    title: string,
    granted: readonly string[],
    path: string,
    json: object,
  ])[] = [
    [
      "an upsert without the right to update",
      ["insert-row"],
      "/library/open/-/upsert",
      { rows: [{ id: 1, name: "x" }] },
    ],
    [
      "an upsert without the right to insert",
      ["update-row"],
      "/library/open/-/upsert",
      { rows: [{ id: 99, name: "x" }] },
    ],
    [
      "an insert that replaces without the right to update",
      ["insert-row"],
      "/library/open/-/insert",
      { rows: [{ id: 1, name: "x" }], replace: true },
    ],
    [
      "a table with rows without the right to insert",
      ["create-table"],
      "/library/-/create",
      { table: "made", rows: [{ id: 1 }] },
    ],
    [
      "a drop with the right to insert",
      ["insert-row", "update-row"],
      "/library/open/-/drop",
      { confirm: true },
    ],
    [
      "a change of a table with the right to insert",
      ["insert-row"],
      "/library/open/-/alter",
      { operations: [{ op: "drop_column", args: { column: "name" } }] },
    ],
  ];
  for (const [title, granted, path, json] of writes) {
    it(`is refused whole: ${title}`, async () => {
      const granting = rights(...granted).databases.library;
      const rowhouse = await rowhouseFor({
        tables,
        metadata: { databases: { library: { ...granting, ...metadata.databases.library } } },
      });

      const reply = await rowhouse.post(path, { as: "ann", json });

      expect(reply.status).to.equal(403);
      expect(await rowhouse.rows("open")).to.deep.equal(tables.open);
      expect(await rowhouse.rows("hidden")).to.deep.equal(tables.hidden);
      expect(await rowhouse.query("select count(*) as n from sqlite_master")).to.deep.equal([{ n: 2 }]);
    });
  }
});

describe("a permission plugin that", () => {
  const odd: readonly (readonly [does: string, answer: () => unknown])[] = [
    [
      "throws",
      () => {
        throw new Error("broken");
      },
    ],
    ["rejects", () => Promise.reject(new Error("broken"))],
    ["says 1", () => 1],
    ['says "no"', () => "no"],
    ["says {}", () => ({})],
    ["says 1, later", async () => 1],
    ["never answers", () => new Promise(() => {})],
  ];
  for (const [does, answer] of odd) {
    it(`${does} closes the table, and is logged`, async () => {
      const rowhouse = await rowhouseFor({
        tables,
        plugins: [answering(answer)],
        settings: { hook_time_limit_ms: 50 },
      });

      expect((await rowhouse.get("/library/open.json")).status).to.equal(403);
      expect(rowhouse.logged.join()).to.contain("odd");
    });
  }
  for (const [does, answer] of [
    ["has no opinion", () => null],
    ["has none, later", async () => undefined],
  ] as const) {
    it(`${does} leaves it open`, async () => {
      const rowhouse = await rowhouseFor({ tables, plugins: [answering(answer)] });

      expect((await rowhouse.get("/library/open.json")).status).to.equal(200);
    });
  }
});

const rights = (...actions: readonly string[]) => ({
  databases: {
    library: { permissions: Object.fromEntries(actions.map((action) => [action, { id: "ann" }])) },
  },
});

const answering = (answer: () => unknown): Plugin =>
  definePlugin({
    name: "odd",
    permission_allowed: (_rowhouse, { action }) => (action === "view-table" ? (answer() as boolean) : null),
  });
