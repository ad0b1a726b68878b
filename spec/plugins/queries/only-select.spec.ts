import { expect } from "chai";
import { sqliteDialect } from "../../harness/sqlite-dialect.js";
import { selectError } from "../../../plugins/queries/only-select.js";

describe("The gate for SQL out of a URL", () => {
  const passing = [
    "select 1",
    "  \n SELECT 1",
    "with a as (select 1) select * from a",
    "-- why\nselect 1",
    "/* a */ -- b\n /* c */ select 1",
    "explain select 1",
    "explain query plan with a as (select 1) select * from a",
    "select 'pragma'",
    "select 1 -- pragma journal_mode",
    "select * from pragma_table_info('t')",
    "\uFEFFselect 1",
  ];
  for (const sql of passing) {
    it(`lets ${JSON.stringify(sql)} pass`, () => {
      expect(selectError(sqliteDialect, sql)).to.equal(null);
    });
  }

  const refused = [
    "",
    "insert into t values (1)",
    "values (1)",
    "(select 1)",
    "pragma table_info(t)",
    "explain delete from t",
    "explain query select 1",
    "selected",
    "-- select\ndelete from t",
    "/* select */ delete from t",
    "/* select 1",
    "ｓｅｌｅｃｔ 1",
    "\vselect 1",
    "\0select 1",
  ];
  for (const sql of refused) {
    it(`refuses ${JSON.stringify(sql)}`, () => {
      expect(selectError(sqliteDialect, sql)?.message).to.equal("Statement must be a SELECT");
    });
  }

  const pragmas = [
    "select * from pragma_journal_mode",
    'select * from "PRAGMA_compile_options"',
    "select * from [pragma_cache_size]",
    "select * from 'pragma_journal_mode'",
    "select pragma from t",
  ];
  for (const sql of pragmas) {
    it(`refuses the pragma in ${JSON.stringify(sql)}`, () => {
      expect(selectError(sqliteDialect, sql)?.message).to.match(/^Statement contained a disallowed PRAGMA\./);
    });
  }
});
