import { expect } from "chai";
import { InvalidSql } from "rowhouse/plugin-api/errors";
import { hideFileNames } from "../../../../plugins/sqlite/sql/hide-file-names.js";

const CUT = "(select seq, name, '' as file from pragma_database_list)";

describe("pragma_database_list in untrusted SQL", () => {
  const cases = [
    ["select * from t", "select * from t"],
    ["select * from pragma_database_list", `select * from ${CUT} as pragma_database_list`],
    ["select * from PRAGMA_database_list() where 1", `select * from ${CUT} as pragma_database_list where 1`],
    ['select * from "pragma_database_list" p', `select * from ${CUT} p`],
    ["select * from [pragma_database_list] as p", `select * from ${CUT} as p`],
    [
      "select pragma_database_list.name from a join pragma_database_list using (seq)",
      `select pragma_database_list.name from a join ${CUT} as pragma_database_list using (seq)`,
    ],
    ["select 1 -- pragma_database_list", "select 1 -- pragma_database_list"],
  ] as const;
  for (const [sql, expected] of cases) {
    it(`reads no paths: ${sql}`, () => {
      expect(hideFileNames(sql)).to.equal(expected);
    });
  }

  const around = [
    "select * from main.pragma_database_list",
    "select * from main . [pragma_database_list]",
    "select * from 'pragma_database_list'",
  ];
  for (const sql of around) {
    it(`is rejected if it cannot be replaced: ${sql}`, () => {
      expect(() => hideFileNames(sql)).to.throw(InvalidSql, "no such table: pragma_database_list");
    });
  }
});
