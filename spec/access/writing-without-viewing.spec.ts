import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

const WRITES = "insert-row update-row delete-row alter-table drop-table".split(" ");
const closed = { allow: { id: "root" } };

/** `writer` may write everywhere, `maker` only make tables; neither may view what is closed to them. */
const metadata = {
  databases: {
    library: {
      permissions: {
        "create-table": { id: ["writer", "maker"] },
        ...Object.fromEntries(WRITES.map((action) => [action, { id: "writer" }])),
      },
      tables: { secret: closed, typed: closed, ghost: closed, secret_view: closed, audit: closed },
    },
  },
};
const sql = `
  create table secret (ssn text primary key, salary integer not null check (salary > 17), word text unique) without rowid;
  insert into secret values ('s1', 100, 'a'), ('hidden-key', 200, 'b');
  create table audit (id integer primary key, entry text not null unique);
  create table typed (id integer primary key, size integer, doubled integer as (size * 2)) strict;
  create table towns (id integer primary key, name text, mayor text);
  insert into towns values (1, 'one', 'm');
  create view secret_view as select ssn, mayor from secret, towns;
  create index secret_index on secret (salary);
  create trigger secret_trigger after update on towns begin insert into audit (entry) values (new.mayor); end;
  create trigger refusal before insert on towns when new.name = 'loud' begin select raise(abort, 'Rejected by audit'); end;`;

/** Names that no reply contains for actors who may not view the tables, unless the request contains them. */
const SECRETS = /ssn|salary|word|audit|entry|secret_view|secret_index|secret_trigger|CREATE/i;

const step = (table: string): object => ({
  operations: [{ op: "insert", table, row: { a: 1 } }],
  dry_run: true,
});

describe("a write without view-table", () => {
  let rowhouse: TestRowhouse;
  beforeEach(async () => {
    rowhouse = await rowhouseFor({ sql, metadata });
  });

  const post = async (path: string, json: object, as: string) => {
    const { status, text } = await rowhouse.post(`/library/${path}`, { as, json });
    return { status, text: text.replaceAll(/\b(?:secret|ghost)\b/g, "NAME") };
  };

  const insert = async (row: object): Promise<string> =>
    (await post("secret/-/insert", { row }, "writer")).text;
  const rename = (to: string) =>
    post("towns/-/alter", { operations: [{ op: "rename_table", args: { to } }], dry_run: true }, "writer");

  describe("of an actor who may neither write nor view", () => {
    const requests = [
      ["insert", { row: { a: 1 } }],
      ["upsert", { rows: [{ a: 1 }] }],
      ["update", { update: { a: 1 }, all: true }],
      ["delete", { all: true }],
      ["drop", {}],
      ["drop", { confirm: true }],
      ["alter", { operations: [{ op: "drop_column", args: { name: "a" } }], dry_run: true }],
      ["create-index", { columns: ["a"] }],
      ["drop-index", { name: "secret_index" }],
      ["enable-search", { columns: ["a"] }],
      ["disable-search", {}],
      ["set-column-type", { column: "a", column_type: null }],
    ] as const;
    for (const as of ["ann", "maker"]) {
      for (const [endpoint, body] of requests) {
        it(`answers ${as} the same for a table and for none: ${endpoint} ${JSON.stringify(body)}`, async () => {
          const hidden = await post(`secret/-/${endpoint}`, body, as);

          expect(hidden.status).to.equal(403);
          expect(hidden).to.deep.equal(await post(`ghost/-/${endpoint}`, body, as));
        });
      }
      for (const endpoint of ["update", "delete"]) {
        it(`answers ${as} the same for a row and for none: ${endpoint}`, async () => {
          const hidden = await post(`secret/s1/-/${endpoint}`, { update: {} }, as);

          expect(hidden.status).to.equal(403);
          expect(hidden).to.deep.equal(await post(`ghost/s1/-/${endpoint}`, { update: {} }, as));
        });
      }
      it(`answers ${as} the same in a batch`, async () => {
        expect(await post("-/batch", step("secret"), as)).to.deep.equal(
          await post("-/batch", step("ghost"), as),
        );
      });
    }
  });

  describe("that creates", () => {
    for (const as of ["maker", "writer"]) {
      for (const body of [{ columns: [{ name: "a" }] }, { row: { a: 1 } }, { row: { a: 1 }, alter: true }]) {
        it(`answers ${as} the same for a table and for none: ${JSON.stringify(body)}`, async () => {
          const hidden = await post("-/create", { table: "secret", ...body }, as);

          expect(hidden.status).to.equal(403);
          expect(hidden).to.deep.equal(await post("-/create", { table: "ghost", ...body }, as));
          expect(await rowhouse.query("select name from sqlite_schema where name = 'ghost'")).to.deep.equal(
            [],
          );
        });
      }
      it(`reveals nothing to ${as} by names in another case, or of a view`, async () => {
        for (const table of ["SECRET", "secret_view", "Secret_View"]) {
          const { status, text } = await post("-/create", { table, columns: [{ name: "a" }] }, as);
          expect([status, text], table).to.deep.equal([
            403,
            '{"ok": false, "errors": ["Permission denied - need view-table"]}',
          ]);
        }
      });
    }

    it("also succeeds with a token that is restricted to it", async () => {
      const token = { id: "maker", token: "rhtok", _r: { a: ["ct"] } };
      const create = (table: string) =>
        rowhouse.post("/library/-/create", { as: token, json: { table, columns: [{ name: "a" }] } });

      expect((await create("made")).status).to.equal(201);
      for (const table of ["towns", "secret", "ghost"])
        expect((await create(table)).status, table).to.equal(403);
    });
  });

  describe("of an actor who may write", () => {
    it("leaves out closed tables from messages of triggers, whether the actor may view the own table or not", async () => {
      const restricted = { id: "writer", token: "rhtok", _r: { a: ["insert-row"] } };
      const json = { row: { name: "loud" } };

      for (const as of ["writer", restricted]) {
        const { status, text } = await rowhouse.post("/library/towns/-/insert", { as, json });
        expect([status, text]).to.deep.equal([400, '{"ok": false, "errors": ["Rejected by"]}']);
      }
    });

    it("asks for confirmation of a drop without counting, and for a table that is not there, too", async () => {
      const asked = await post("secret/-/drop", {}, "writer");

      expect(asked).to.deep.equal({
        status: 200,
        text: '{"ok": true, "database": "library", "table": "NAME", "message": "Pass \\"confirm\\": true to confirm"}',
      });
      expect(asked).to.deep.equal(await post("ghost/-/drop", {}, "writer"));
      expect((await post("secret/-/drop", { confirm: true }, "writer")).status).to.equal(200);
    });

    it("alters without telling the definition", async () => {
      const operations = [{ op: "add_column", args: { name: "more", type: "text" } }];
      for (const dry_run of [true, false]) {
        const { status, text } = await post("secret/-/alter", { operations, dry_run }, "writer");
        expect(status).to.equal(200);
        expect(text).not.to.match(SECRETS);
        expect(JSON.parse(text)).not.to.have.any.keys("schema", "before_schema", "sql");
      }
    });

    it("gets no forms, because they show the definition", async () => {
      const pages = ["new-row", "structure", "remove", "import", "import.json"].map(
        (page) => `secret/-/${page}`,
      );
      for (const page of [...pages, "secret/s1/-/edit", "secret/s1/-/remove"]) {
        const { status, text } = await rowhouse.get(`/library/${page}`, { as: "writer" });

        expect([page, status]).to.deep.equal([page, 403]);
        expect(text).not.to.match(/ssn|salary|word|hidden-key/);
      }
      for (const page of pages.slice(0, 4)) {
        const { status, text } = await rowhouse.post(`/library/${page}`, {
          as: "writer",
          form: { text: "a\n1", action: "x" },
        });

        expect([page, status]).to.deep.equal([page, 403]);
        expect(text).not.to.match(/ssn|salary|word|hidden-key/);
      }
    });

    it("cannot test the values of rows by constraints and types", async () => {
      for (const [op, args] of [
        ["alter_column", { name: "salary", not_null: true }],
        ["alter_column", { name: "word", type: "integer" }],
        ["set_primary_key", { columns: ["word"] }],
        ["add_check", { expression: "salary < 150" }],
        ["add_check", { expression: "salary < 1500" }],
        ["alter_column", { name: "word", choices: ["a", "b"] }],
        ["add_foreign_key", { column: "word", fk_table: "towns", fk_column: "mayor" }],
        ["set_foreign_keys", { foreign_keys: [{ column: "word", fk_table: "towns", fk_column: "mayor" }] }],
      ] as const) {
        const { status, text } = await post(
          "secret/-/alter",
          { operations: [{ op, args }], dry_run: true },
          "writer",
        );
        expect([op, status]).to.deep.equal([op, 403]);
        expect(text).to.contain("need view-table");
      }
    });

    it("cannot test by a unique index whether values are different", async () => {
      const { status, text } = await post(
        "secret/-/create-index",
        { columns: ["ssn"], unique: true },
        "writer",
      );

      expect([status, text]).to.deep.equal([
        403,
        '{"ok": false, "errors": ["Permission denied: need view-table to create a unique index"]}',
      ]);
      expect((await post("secret/-/create-index", { columns: ["ssn"] }, "writer")).status).to.equal(201);
    });

    it("cannot rename the table, whose rules would no longer apply", async () => {
      const operations = [{ op: "rename_table", args: { to: "mine" } }];
      const { status, text } = await post("secret/-/alter", { operations }, "writer");

      expect([status, text]).to.deep.equal([
        403,
        '{"ok": false, "errors": ["Operation 0: Permission denied: need view-table to rename a table"]}',
      ]);
      expect((await rowhouse.get("/library/mine.json", { as: "writer" })).status).to.equal(404);
    });

    const failing: readonly (readonly [path: string, body: object])[] = [
      ["secret/-/insert", { row: { a: "s1" } }],
      ["secret/-/upsert", { rows: [{ a: 1 }] }],
      ["secret/-/upsert", { rows: [{}] }],
      ["secret/x,y/-/update", { update: {} }],
      ["secret/x,y/-/delete", {}],
      ["-/batch", { operations: [{ op: "upsert", table: "secret", rows: [{}] }] }],
      ["-/batch", { operations: [{ op: "insert", table: "secret", row: {} }] }],
      ["secret/-/insert", { row: {} }],
      [
        "secret/-/alter",
        { operations: [{ op: "rename_column", args: { name: "x", to: "y" } }], dry_run: true },
      ],
      ["secret/-/alter", { operations: [{ op: "set_primary_key", args: { columns: [] } }], dry_run: true }],
      ["secret/-/create-index", { columns: ["x"] }],
      ["secret/-/drop-index", { name: "x" }],
      ["secret/-/enable-search", { columns: ["x"] }],
      ["secret/-/disable-search", {}],
    ];
    for (const [path, body] of failing) {
      it(`names no column where ${path} fails with ${JSON.stringify(body)}`, async () => {
        const { text } = await post(path, body, "writer");

        expect(text).not.to.match(SECRETS);
        expect(text).not.to.match(/Need 1 primary key value|NAME has none|NAME already/);
      });
    }

    it("reveals the kind of a failed constraint, and no details", async () => {
      expect(await insert({ ssn: "s1", salary: 100 })).to.include('["UNIQUE constraint failed"]');
      expect(await insert({ ssn: "s3", salary: 100, word: "a" })).to.include('["UNIQUE constraint failed"]');
      expect(await insert({ ssn: "s3" })).to.include('["NOT NULL constraint failed"]');
      expect(await insert({ ssn: "s3", salary: 1 })).to.include('["CHECK constraint failed"]');
    });
  });

  describe("of a value that does not fit its column", () => {
    const sentBy: Readonly<Record<string, (row: object) => Promise<{ readonly text: string }>>> = {
      "a row": (row) => post("typed/-/insert", { row }, "writer"),
      "a batch": (row) => post("-/batch", { operations: [{ op: "insert", table: "typed", row }] }, "writer"),
      "a stream": async (row) =>
        rowhouse.post("/library/typed/-/insert", {
          token: await rowhouse.rowhouse.service("tokens").createToken("writer"),
          headers: { "content-type": "application/x-ndjson" },
          body: JSON.stringify(row),
        }),
    };
    for (const [name, send] of Object.entries(sentBy)) {
      it(`reveals neither its type nor that it is generated: ${name}`, async () => {
        for (const row of [{ size: "x" }, { doubled: 1 }]) {
          const [error] = (JSON.parse((await send(row)).text) as { errors: string[] }).errors;
          expect(error).to.match(/^(?:Operation 0: |Row 0 \(line 1\): )?datatype mismatch$/);
        }
      });
    }
  });

  describe("beside tables that may be viewed", () => {
    const drop = { operations: [{ op: "drop_column", args: { name: "mayor" } }], dry_run: true };

    it("names no view and no trigger that would no longer work", async () => {
      const { status, text } = await post("towns/-/alter", drop, "writer");

      expect(status).to.equal(400);
      expect(text).not.to.match(/secret_view|secret_trigger|audit|entry|ssn/);
      const root = await rowhouse.post("/library/towns/-/alter", { as: "root", json: drop });
      expect(root.text).to.match(/secret_view/);
    });

    it("gives no new name that is hidden", async () => {
      const hidden = await rename("secret");

      expect(hidden.status).to.equal(403);
      expect(hidden).to.deep.equal(await rename("ghost"));
      expect((await rename("cities")).status).to.equal(200);
    });

    it("says completely that the name of a new index is taken", async () => {
      for (const [name, reason] of [
        ["secret_view", "there is already a table named secret_view"],
        ["secret_index", "index secret_index already exists"],
      ] as const) {
        const { status, text } = await post("towns/-/create-index", { columns: ["name"], name }, "writer");

        expect([status, JSON.parse(text)]).to.deep.equal([400, { ok: false, errors: [reason] }]);
      }
    });

    it("shows no trigger among the statements of an alteration", async () => {
      const operations = [{ op: "reorder_columns", args: { columns: ["id", "mayor", "name"] } }];

      const { status, text } = await post("towns/-/alter", { operations, dry_run: true }, "writer");

      expect(status).to.equal(200);
      expect(text)
        .to.include("CREATE TABLE")
        .and.not.match(/audit|entry/);
    });

    it("names no hidden table where a trigger fails", async () => {
      await post("towns/1/-/update", { update: { name: "x" } }, "writer");
      const { status, text } = await post("towns/1/-/update", { update: { name: "y" } }, "writer");

      expect([status, text]).to.deep.equal([400, '{"ok": false, "errors": ["UNIQUE constraint failed"]}']);
    });
  });
});
