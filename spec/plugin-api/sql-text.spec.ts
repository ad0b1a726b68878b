import { expect } from "chai";
import { array, assert, constantFrom, oneof, property, string } from "fast-check";
import { meaningful, namedParameters, sqlStatements, sqlTokens, unquote } from "rowhouse/plugin-api/sql";
import { rowhouseFor } from "rowhouse/testing";

describe("sqlTokens", () => {
  it("loses nothing: the tokens joined are the text", () => {
    const piece = constantFrom(
      "'",
      '"',
      "`",
      "[",
      "]",
      "--",
      "/*",
      "*/",
      "\n",
      ":a",
      "?1",
      "x",
      " ",
      "é",
      "1e5",
    );
    assert(
      property(array(oneof(piece, string())), (pieces) => {
        const sql = pieces.join("");
        expect(
          sqlTokens(sql)
            .map(({ text }) => text)
            .join(""),
        ).to.equal(sql);
      }),
    );
  });

  const cases = [
    ["select 'it''s' -- why\n", ["word:select", "text:'it''s'"]],
    ['"a""b" `c` [d"e]', ['name:"a""b"', "name:`c`", 'name:[d"e]']],
    ["/* :a */ :b", ["parameter::b"]],
    ["x'41' 1.5e+3", ["blob:x'41'", "number:1.5e+3"]],
    ["'open :a", ["text:'open :a"]],
    ["a::b", ["word:a", "symbol::", "parameter::b"]],
    ["\uFEFFselect", ["word:select"]],
    ["\vselect", ["symbol:\v", "word:select"]],
  ] as const;
  for (const [sql, expected] of cases) {
    it(`reads ${JSON.stringify(sql)}`, () => {
      expect(meaningful(sqlTokens(sql)).map(({ kind, text }) => `${kind}:${text}`)).to.deep.equal(expected);
    });
  }

  const invalid = ["'open", '"open', "`open", "[open", "x'41", "1a", "\0", ":", "$a(b"];
  for (const sql of invalid) {
    it(`marks ${JSON.stringify(sql)} as invalid`, () => {
      expect(sqlTokens(sql).map(({ isValid }) => isValid)).to.include(false);
    });
  }

  it("marks all tokens of a statement of SQLite as valid", () => {
    const sql = "select \"a\", [b], 'c', x'00', 1e3, .5, 0x1f, :d, $e::f(g), ?1 -> '$' /* open";

    expect(sqlTokens(sql).filter(({ isValid }) => !isValid)).to.deep.equal([]);
  });

  // A reader that looked back from each piece would need more than the two minutes that a spec may take.
  for (const piece of ["'", "/*", "--", '"', ":", "''", "a ", "[", "''a"]) {
    it(`loses nothing of two million characters: ${piece}`, () => {
      const sql = piece.repeat(2_000_000 / piece.length);

      const read = sqlTokens(sql).reduce((length, { text }) => length + text.length, 0);

      expect(read).to.equal(sql.length);
    });
  }
});

describe("unquote", () => {
  const cases = [
    ["'it''s'", "it's"],
    ['"a""b"', 'a"b'],
    ["`a``b`", "a`b"],
    ["[a]", "a"],
    ["a", "a"],
    ["", ""],
  ] as const;
  for (const [text, inner] of cases) {
    it(`of ${text} is ${inner}`, () => {
      expect(unquote(text)).to.equal(inner);
    });
  }
});

describe("namedParameters", () => {
  it("finds each :name once, in order, and none in strings, quoted names and comments", () => {
    const sql = "select :b, ':x', \":y\", :a, :b -- :z\n, '12:30', @at, $dollar, [:w]";

    expect(namedParameters(sql)).to.deep.equal(["b", "a"]);
  });
});

describe("sqlStatements", () => {
  it("lets a plugin run a script with triggers, comments and semicolons in texts", async () => {
    const script = `-- Books; and a log
      create table books (id integer primary key, title text default 'a;b'); ; /* ; */
      create table log ("a;b" text);
      CREATE TEMP TRIGGER unused after delete on books begin select 1; end;
      create trigger logged after insert on books begin
        insert into log values (case when new.title = ';' then 'odd' else new.title end);
        insert into log values ('end');
      END;
      insert into books (title) values (';'), ('Emma')
      -- no statement;`;
    const { rowhouse, rows } = await rowhouseFor({});

    const statements = sqlStatements(script);
    await rowhouse.database("library").write(async (transaction) => {
      for (const statement of statements) await transaction.run(statement);
    });

    expect(statements).to.have.length(5);
    expect(await rows("log")).to.deep.equal(["odd", "end", "Emma", "end"].map((text) => ({ "a;b": text })));
  });

  for (const script of ["", " ;; ", "-- only;"])
    it(`finds none in ${JSON.stringify(script)}`, () => {
      expect(sqlStatements(script)).to.deep.equal([]);
    });
});
