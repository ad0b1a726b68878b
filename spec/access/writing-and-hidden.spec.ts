import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

const WRITES = "insert-row update-row delete-row create-table alter-table".split(" ");
const metadata = {
  databases: {
    library: {
      tables: {
        gone: { allow: { id: "root" } },
        towns: { permissions: Object.fromEntries(WRITES.map((action) => [action, { id: "editor" }])) },
      },
    },
  },
};

describe("writing beside a hidden table", () => {
  let rowhouse: TestRowhouse;
  beforeEach(async () => {
    rowhouse = await rowhouseFor({
      tables: {
        towns: "id integer primary key, name text check (length(name) < 20)",
        gone: "id integer primary key, word text not null unique check (length(word)\n < 10)",
      },
      sql: `insert into towns values (1, 'one'); insert into gone values (1, 'whisper');
        create trigger noted after insert on towns begin insert into gone (word) values (new.name); end;`,
      metadata,
      settings: { conceal_missing: true, confine_sql: true },
    });
  });

  const post = async (path: string, json: object) => {
    const { status, text } = await rowhouse.post(path, { as: "editor", json });
    return { status, text: text.replace(/\b(?:gone|none)\b/g, "NAME") };
  };
  const alter = (...operations: readonly object[]) => post("/library/towns/-/alter", { operations });

  it("reveals nothing of it by a new foreign key to it", async () => {
    expect(await alter(keyTo("gone"))).to.deep.equal(await alter(keyTo("none")));
  });

  it("reveals nothing of it by a new foreign key to it beside operations that fail", async () => {
    const wrong = { op: "drop_column", args: { name: "x" } };
    const unknown = { op: "x", args: {} };

    expect(await alter(wrong, keyTo("gone"))).to.deep.equal(await alter(wrong, keyTo("none")));
    expect(await alter(keyTo("gone"), unknown)).to.deep.equal(await alter(keyTo("none"), unknown));
  });

  it("reveals nothing of it by the error of a trigger", async () => {
    const { status, text } = await rowhouse.post("/library/towns/-/insert", {
      as: "editor",
      json: { row: { name: "whisper" } },
    });

    expect(status).to.equal(400);
    expect(text).not.to.match(/gone|word/);
    expect(
      (await rowhouse.post("/library/towns/-/insert", { as: "editor", json: { row: { name: null } } })).text,
    ).not.to.match(/gone|word/);
  });

  it("reveals no name by the error of a request that contains it", async () => {
    for (const [path, body] of ECHOED) {
      const [hidden, missing] = ["gone", "none"].map((name) => body.replaceAll("NAME", name));
      expect(await post(path, JSON.parse(hidden ?? ""))).to.deep.equal(
        await post(path, JSON.parse(missing ?? "")),
      );
    }
  });

  it("reveals no check of the table that a trigger writes to", async () => {
    const insert = { row: { name: "word too long" } };
    for (const reply of [
      await post("/library/towns/-/insert", insert),
      await post("/library/-/batch", { operations: [{ op: "insert", table: "towns", ...insert }] }),
    ]) {
      expect(reply.status).to.equal(400);
      expect(reply.text).to.contain("CHECK constraint failed").and.not.to.contain("length");
    }
    const { text } = await post("/library/towns/-/insert", { row: { name: "a name that is too long" } });
    expect(text).to.contain("CHECK constraint failed: length(name)");
  });

  it("shows the errors of the API itself completely", async () => {
    const { text } = await rowhouse.post("/library/towns/-/insert", {
      as: "editor",
      json: { row: { id: 1, name: "x" } },
    });

    expect(text).to.contain("UNIQUE constraint failed: towns.id");
  });
});

describe("writing to a table that refers to a hidden table", () => {
  const rights = Object.fromEntries(WRITES.map((action) => [action, { id: "editor" }]));
  const operation = { op: "add_column", args: { name: "note" } };
  const other = { op: "add_column", args: { name: "other" } };
  const requests: readonly (readonly [path: string, json: object, again: object])[] = [
    [
      "/library/visits/-/alter",
      { operations: [operation], dry_run: true },
      { operations: [other], dry_run: true },
    ],
    ["/library/visits/-/alter", { operations: [operation] }, { operations: [other] }],
    ["/library/-/create", { table: "visits", row: { id: 5 } }, { table: "visits", row: { id: 6 } }],
  ];

  for (const [path, json, again] of requests) {
    it(`shows its definition only to those who may view both: ${path} ${JSON.stringify(json)}`, async () => {
      const rowhouse = await rowhouseFor({
        tables: {
          gone: "id integer primary key",
          visits: "id integer primary key, place references gone(id)",
        },
        metadata: {
          databases: { library: { permissions: rights, tables: { gone: { allow: { name: "Ann" } } } } },
        },
      });

      const hidden = await rowhouse.post(path, { as: "editor", json });
      const shown = await rowhouse.post(path, { as: { id: "editor", name: "Ann" }, json: again });

      expect([hidden.status, hidden.json.ok]).to.deep.equal([path.endsWith("create") ? 201 : 200, true]);
      expect(hidden.text).not.to.include("gone");
      expect(shown.text).to.include("references gone(id)");
    });
  }
});

describe("the page of the structure of a table that refers to a hidden table", () => {
  it("has the same version whichever table that is, and keeps the reference as it is", async () => {
    const versions: string[] = [];
    for (const name of ["gone", "away"]) {
      const rowhouse = await rowhouseFor({
        tables: {
          [name]: "id integer primary key",
          towns: `id integer primary key, place references ${name}(id)`,
        },
        metadata: {
          databases: {
            library: {
              permissions: { "alter-table": { id: "editor" } },
              tables: { [name]: { allow: { id: "root" } } },
            },
          },
        },
      });
      const path = "/library/towns/-/structure";
      const { text } = await rowhouse.get(path, { as: "editor" });
      expect(text).not.to.include(name);
      const version = /name="version" value="([^"]+)"/.exec(text)?.[1] ?? "";
      versions.push(version);

      const form = { version, name0: "id", key0: "1", name1: "place", default1: "5" };
      expect((await rowhouse.post(path, { as: "editor", form })).status).to.equal(303);
      expect(
        (await rowhouse.query("select sql from sqlite_schema where name = 'towns'"))[0]?.["sql"],
      ).to.match(new RegExp(`place.*references ${name}\\(id\\)`, "is"));
    }

    expect(versions[0]).to.equal(versions[1]);
  });
});

describe("a change of a hidden table that needs no row of it", () => {
  const requests = [
    ["POST", "drop", {}],
    ["POST", "drop", { confirm: true, dry_run: true }],
    ["GET", "foreign-key-suggestions", {}],
    ["POST", "foreign-key-suggestions", {}],
  ] as const;
  const rights = ["alter-table", "drop-table"];

  for (const as of ["editor", { id: "editor", token: "rhtok", _r: { a: rights } }]) {
    it(`is answered like one of a missing table, without view-table: ${JSON.stringify(as)}`, async () => {
      const rowhouse = await rowhouseFor({
        tables: { towns: [{ id: 1 }], gone: [{ id: 1 }] },
        metadata: {
          databases: {
            library: {
              permissions: Object.fromEntries(rights.map((action) => [action, { id: "editor" }])),
              tables: { gone: { allow: { id: "root" } } },
            },
          },
        },
        settings: { conceal_missing: true },
      });

      for (const [method, action, json] of requests) {
        const [hidden, missing] = await Promise.all(
          ["gone", "none"].map((name) =>
            rowhouse.request(method, `/library/${name}/-/${action}`, {
              as,
              ...(method === "POST" && { json }),
            }),
          ),
        );
        expect([action, hidden?.status, hidden?.text]).to.deep.equal([action, 403, missing?.text]);
        expect(missing?.status).to.equal(403);
      }
    });
  }
});

/** Requests that name something that the table does not have. */
const ECHOED: readonly (readonly [path: string, body: string])[] = [
  ...[
    '{"op":"drop_column","args":{"name":"NAME"}}',
    '{"op":"rename_column","args":{"name":"NAME","to":"x"}}',
    '{"op":"add_column","args":{"name":"name","type":"text","default":"NAME"}}',
    '{"op":"add_foreign_key","args":{"column":"NAME","fk_table":"towns"}}',
    '{"op":"add_foreign_key","args":{"column":"name","fk_table":"towns","fk_column":"NAME"}}',
    '{"op":"add_foreign_key","args":{"column":"name","fk_table":"x NAME"}}',
    '{"op":"add_column","args":{"name":"place","fk_table":"x NAME y"}}',
    '{"op":"drop_foreign_key","args":{"column":"NAME"}}',
    '{"op":"add_check","args":{"expression":"NAME > 1"}}',
    '{"op":"add_check","args":{"expression":"NAME(1) > 1"}}',
    '{"op":"drop_check","args":{"name":"NAME"}}',
  ].map((operation) => ["/library/towns/-/alter", `{"operations":[${operation}]}`] as const),
  ["/library/-/batch", '{"operations":[{"op":"delete","table":"towns","key":"NAME"}]}'],
  ["/library/-/batch", '{"operations":[{"op":"insert","table":"towns","row":{"NAME":1}}]}'],
  ["/library/towns/-/drop-index", '{"name":"NAME"}'],
];

const keyTo = (table: string): object => ({
  op: "add_foreign_key",
  args: { column: "name", fk_table: table, fk_column: "word" },
});

describe("writing to a table whose full-text index is hidden", () => {
  const rights = Object.fromEntries([...WRITES, "drop-table"].map((action) => [action, { id: "editor" }]));
  const hiddenIndex = (index: string | null, database: object = {}): Promise<TestRowhouse> =>
    rowhouseFor({
      sql:
        "create table docs (id integer primary key, title text); insert into docs values (1, 'Emma');" +
        (index === null ? "" : `create virtual table ${index} using fts5(title, content='docs')`),
      metadata: {
        databases: {
          library: {
            ...database,
            tables: { docs: { permissions: rights }, ...(index && { [index]: { allow: { id: "root" } } }) },
          },
        },
      },
    });
  for (const index of ["hushidx", "docs_fts"]) {
    it(`shows the page of its structure as without an index: ${index}`, async () => {
      const [hidden, none] = await Promise.all(
        [index, null].map(async (one) => {
          const rowhouse = await hiddenIndex(one);
          return (await rowhouse.get("/library/docs/-/structure", { as: "editor" })).text;
        }),
      );

      const panel = /<h2>Search[\s\S]*?<\/section>/;
      const withoutToken = (text = ""): string | undefined =>
        panel.exec(text)?.[0].replaceAll(/value="[\w-]{20,}[^"]*"/g, "");
      expect(withoutToken(hidden)).to.be.a("string");
      expect(withoutToken(hidden)).to.equal(withoutToken(none));
    });

    it(`neither drops nor names the index: ${index}`, async () => {
      const rowhouse = await hiddenIndex(index);
      const requests: readonly (readonly [action: string, body: object, status: number, message: string])[] =
        [
          ["disable-search", {}, 400, "Search is not enabled for docs"],
          ["enable-search", { columns: ["title"] }, 400, "Search cannot be enabled for docs"],
          ["enable-search", { columns: ["title"], replace: true }, 400, "Search cannot be enabled for docs"],
          [
            "alter",
            { operations: [{ op: "drop_column", args: { name: "title" } }] },
            400,
            "Operation 0: Cannot drop column title",
          ],
          [
            "alter",
            { operations: [{ op: "set_primary_key", args: { columns: [] } }] },
            400,
            "Operation 0: Cannot change the primary key",
          ],
          ["drop", { confirm: true }, 403, "Permission denied: a part of docs is hidden from you"],
        ];
      for (const [action, body, status, message] of requests) {
        const reply = await postToDocs(rowhouse, action, body);
        expect([reply.status, reply.json.errors], action).to.deep.equal([status, [message]]);
      }
      const kept = await rowhouse.query(`select name from sqlite_schema where name in ('docs', '${index}')`);
      expect(kept).to.have.length(2);
    });
  }

  it("drops the index with the table for actors who may drop both", async () => {
    const rowhouse = await hiddenIndex("hushidx", { permissions: { "drop-table": { id: "editor" } } });

    expect((await postToDocs(rowhouse, "drop", { confirm: true })).status).to.equal(200);
    expect(await rowhouse.query("select name from sqlite_schema")).to.deep.equal([]);
  });
});

const postToDocs = (rowhouse: TestRowhouse, action: string, json: object) =>
  rowhouse.post(`/library/docs/-/${action}`, { as: "editor", json });
