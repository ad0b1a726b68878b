import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

const SETTINGS = [
  "datestyle to 'SQL, DMY'",
  "intervalstyle to 'sql_standard'",
  "bytea_output to 'escape'",
  "timezone to 'Asia/Kolkata'",
  "client_encoding to 'LATIN1'",
  "standard_conforming_strings to off",
  "extra_float_digits to -15",
  "search_path to pg_catalog",
  "quote_all_identifiers to on",
  "array_nulls to off",
  "xmloption to document",
  "default_transaction_read_only to on",
  "default_transaction_isolation to 'serializable'",
  "statement_timeout to 5",
];

const SCRIPT = `
  create type mood as enum ('sad', 'happy');
  create table cells (id int primary key, day date, at timestamptz, lasted interval, bytes bytea, number float8,
    words text[], markup xml, mood mood, kind regclass, title text, data jsonb, note text default 'a\\b',
    search tsvector generated always as (to_tsvector('simple', title)) stored);`;

const ROW = {
  id: 1,
  day: "03/02/2024",
  at: "2024-03-02 10:00",
  lasted: "1 2:03:04",
  bytes: { $base64: true, encoded: "AP8=" },
  number: 0.1,
  words: "{NULL,a}",
  markup: "<a/><b/>",
  mood: "sad",
  kind: "cells",
  title: "é \\ '",
  data: { a: 1.5 },
};

describePostgres("a PostgreSQL role with settings of its own", (server) => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor();
    const roles = ["rowhouse", "odd"];
    await server().run("create role odd login superuser");
    for (const setting of SETTINGS) await server().run(`alter role odd set ${setting}`);
    for (const role of roles) {
      const uri = (await server().createDatabase(SCRIPT)).replace("//rowhouse@", `//${role}@`);
      await rowhouse.rowhouse.addDatabase({ uri, name: role, mutable: true });
      const { status, text } = await rowhouse.post(`/${role}/cells/-/insert`, {
        as: "root",
        json: { row: ROW },
      });
      expect(status, `${role}: ${text}`).to.equal(201);
    }
  });

  for (const path of [
    "cells.json?_nosuggest=1",
    "cells.csv?_stream=on",
    "cells/1.json",
    "cells.json?_search=é&_nosuggest=1",
    "cells.json?day=03/02/2024&_facet=mood&_facet_array=words&_facet_date=at&_nosuggest=1",
    "cells.json?mood=unknown&_nosuggest=1",
  ]) {
    it(`reads and stores the same values as without them: ${path}`, async () => {
      const [one, other] = await Promise.all(
        ["rowhouse", "odd"].map(async (role) => {
          const { text } = await rowhouse.get(`/${role}/${path}`);
          return text.replaceAll(role, "NAME").replace(/"query_ms": [^,}]+/, "");
        }),
      );

      expect(other).to.equal(one);
    });
  }
});
