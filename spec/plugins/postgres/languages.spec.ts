import { expect } from "chai";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../harness/index.js";
import {
  describePostgres,
  postgresFolder,
  startPostgres,
  type PostgresServer,
} from "../../harness/postgres.js";

const SCRIPT = `
  do $$ begin if not exists (select from pg_roles where rolname = 'clerk') then create role clerk login; end if; end $$;
  create table rooms (
    id int primary key, name text unique, span int4range, size int not null default 1,
    exclude using gist (span with &&), constraint is_large check (size > 0)
  );
  create unique index on rooms (lower(name));
  create table guests (id int primary key, room int references rooms (id));
  insert into rooms values (1, 'blue', '[1,5)');
  create table keys (id int primary key deferrable, name text);
  create table hushed (id int primary key, word text);
  create view shown with (security_invoker) as select * from hushed;
  create table locked (id int primary key);
  create type mood as enum ('sad', 'ok');
  create table closed (
    id int primary key, day date, code varchar(3), feeling mood, size numeric(4, 1), tags int[], flags bit(3),
    span int4range, plan xml, small smallint, doubled int generated always as (id * 2) stored
  );
  grant create on schema public to clerk; alter table keys owner to clerk;
  grant all on rooms, guests, closed to clerk; grant select on shown, locked to clerk;`;

/** What is sent to a table, and the reason why it is rejected. */
const CASES = [
  ["rooms", { id: 1 }, "UNIQUE constraint failed: rooms.id"],
  ["rooms", { id: 2, name: "blue" }, "UNIQUE constraint failed: rooms.name"],
  ["rooms", { id: 2, name: "BLUE" }, "UNIQUE constraint failed: rooms.lower(name)"],
  ["rooms", { id: 2, span: "[4,9)" }, "EXCLUDE constraint failed: rooms_span_excl"],
  ["rooms", { id: 2, size: null }, "NOT NULL constraint failed: rooms.size"],
  ["rooms", { id: 2, size: 0 }, "CHECK constraint failed: is_large"],
  ["guests", { id: 1, room: 9 }, "FOREIGN KEY constraint failed"],
  [
    "locked",
    { id: 1 },
    "permission denied: the login of the database lacks a privilege, which the log of the database server names",
  ],
] as const;

/** Values that their columns do not take, each for another reason. */
const MISFITS = [
  { day: "someday" },
  { day: "2024-02-30" },
  { code: "too long" },
  { feeling: "glad" },
  { size: 99_999 },
  { tags: "{1" },
  { flags: "12" },
  { flags: "1010" },
  { span: "[5,1]" },
  { plan: "<a" },
  { small: 100_000 },
  { small: "x" },
  { doubled: 1 },
];

const QUERIES = {
  quoted: { sql: "update rooms set missing = 1", write: true },
  missing: { sql: "delete from missing", write: true },
  pointed: { sql: "delete from rooms where rooms.missing = 1", write: true },
};

/** Servers translate their messages if they have a locale. */
const LANGUAGES = { English: "en", German: "de", French: "fr" } as const;

for (const [language, code] of Object.entries(LANGUAGES)) {
  describePostgres(`errors of a PostgreSQL server whose messages are in ${language}`, () => {
    let server: PostgresServer;
    let rowhouse: TestRowhouse;
    before(async () => {
      server = await startPostgres((await postgresFolder()) ?? "", {
        settings: ["lc_messages=C.UTF-8"],
        environment: { LANGUAGE: code },
      });
      const uri = (await server.createDatabase(SCRIPT)).replace("rowhouse@", "clerk@");
      const shop = {
        queries: QUERIES,
        permissions: { "insert-row": { id: "writer" } },
        tables: { closed: { allow: false } },
      };
      rowhouse = await rowhouseFor({ metadata: { databases: { shop } } });
      await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
    });
    after(() => server.stop());

    const insert = (table: string, row: object, more: object = {}): Promise<TestReply> =>
      rowhouse.post(`/shop/${table}/-/insert`, { as: "root", json: { row, ...more } });

    for (const [table, row, message] of CASES) {
      it(`are those of constraints and privileges in the words of Rowhouse: ${message}`, async () => {
        const { status, json } = await insert(table, row);

        expect(status).to.equal(400);
        expect(json).to.deep.equal({ ok: false, errors: [message] });
      });
    }

    it("do not name a table behind a view that the client may see", async () => {
      const { status, text } = await rowhouse.get("/shop/shown.json");

      expect(status).to.equal(400);
      expect(text).to.contain("permission denied").and.not.contain("hushed");
    });

    for (const misfit of MISFITS) {
      it(`do not tell the type of a column without view-table: ${JSON.stringify(misfit)}`, async () => {
        const token = await rowhouse.rowhouse.service("tokens").createToken("writer");
        const row = { id: 1, ...misfit };
        const post = async (path: string, body: object, type = "json"): Promise<unknown> => {
          const headers = { "content-type": `application/${type}` };
          return (await rowhouse.post(`/shop/${path}`, { token, headers, body: JSON.stringify(body) })).json;
        };
        const operations = [{ op: "insert", table: "closed", row }];

        expect([
          await post("closed/-/insert", { row }),
          await post("-/batch", { operations }),
          await post("closed/-/insert", row, "x-ndjson"),
        ]).to.deep.equal([
          { ok: false, errors: ["datatype mismatch"] },
          { ok: false, errors: ["Operation 0: datatype mismatch"] },
          { ok: false, errors: ["Row 0 (line 1): datatype mismatch"] },
        ]);
      });
    }

    it("name a table that exists already, and an unknown one", async () => {
      const index = { columns: ["name"], name: "rooms_pkey" };
      const replies = [
        await rowhouse.post("/shop/keys/-/create-index", { as: "root", json: index }),
        await rowhouse.post("/shop/missing?_json=1", { as: "root", json: {} }),
      ];

      expect(replies.map(({ json }) => json.errors?.[0] ?? json.message)).to.deep.equal([
        'relation "rooms_pkey" already exists',
        "no such table: missing",
      ]);
    });

    it("name an unknown column", async () => {
      const [quoted, pointed] = await Promise.all(
        ["quoted", "pointed"].map((name) => rowhouse.post(`/shop/${name}?_json=1`, { as: "root", json: {} })),
      );

      expect(quoted?.json).to.deep.include({ message: "no such column: missing" });
      expect(pointed?.json).to.deep.include({ message: "no such column: rooms.missing" });
    });

    it("say that a key is DEFERRABLE", async () => {
      const { text } = await insert("keys", { id: 1 }, { ignore: true });

      expect(text).to.contain("a key of the table is DEFERRABLE");
    });
  });
}
