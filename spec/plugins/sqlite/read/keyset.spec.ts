import { expect } from "chai";
import type { Database } from "rowhouse/plugin-api";
import type { Keyset } from "rowhouse/plugin-api/engine";
import { sqliteFile } from "../open-sqlite.js";

const COLUMNS = ["id", "word"];
const ALL = "select id, word from numbers order by id";

/** Numbers of more than one part, with gaps. */
const numbersSql = (count: number, word = "'number ' || i"): string =>
  `create table numbers (id integer primary key, word text);
   with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
   insert into numbers select i * 3, ${word} from n;`;

/** The rows after a key, and the keys with which it was called. */
function recordedKeyset(sql = "select id, word from numbers where id > ? order by id"): {
  readonly keyset: Keyset;
  readonly keys: string[];
} {
  const keys: string[] = [];
  const after = (key: string) => {
    keys.push(key);
    return { sql, params: [key] };
  };
  return { keyset: { column: 0, after }, keys };
}

async function streamed(database: Database, sql: string, keyset?: Keyset): Promise<readonly string[]> {
  const rows: string[] = [];
  const options = { columns: COLUMNS, ...(keyset !== undefined && { keyset }) };
  for await (const batch of database.streamJson(sql, [], options)) rows.push(...batch.rows);
  return rows;
}

describe("A stream with a keyset", () => {
  it("continues after the last row of each part", async () => {
    const { database } = await sqliteFile(numbersSql(5000));
    const { keyset, keys } = recordedKeyset();

    const rows = await streamed(database, ALL, keyset);

    expect(rows)
      .to.deep.equal(await streamed(database, ALL))
      .and.have.length(5000);
    expect(keys.slice(0, 2)).to.deep.equal(["0", String(64 * 3)]);
    expect(keys).to.have.length.above(4);
  });

  it("brings the same typed values", async () => {
    const { database } = await sqliteFile(numbersSql(3000));
    const { keyset } = recordedKeyset();
    const cells = async (options: object): Promise<readonly unknown[]> => {
      const rows: unknown[] = [];
      for await (const batch of database.stream(ALL, [], options)) rows.push(...batch.rows);
      return rows;
    };

    expect(await cells({ columns: COLUMNS, keyset }))
      .to.deep.equal(await cells({}))
      .and.have.length(3000);
  });

  it("reads keys of 64 bits exactly", async () => {
    const { database } = await sqliteFile(
      `create table numbers (id integer primary key, word text);
       with recursive n(i) as (select 0 union all select i + 1 from n where i < 299)
       insert into numbers select 9007199254740992 + i, 'a' from n
       union all select -9223372036854775807 - 1 + i, 'b' from n
       union all select 9223372036854775807 - i, 'c' from n;`,
    );
    const { keyset, keys } = recordedKeyset();

    const rows = await streamed(database, ALL, keyset);

    expect(rows)
      .to.deep.equal(await streamed(database, ALL))
      .and.have.length(900);
    expect(keys[1]).to.equal("-9223372036854775745");
  });

  for (const encoding of ["UTF-8", "UTF-16"]) {
    it(`reads rows of all lengths, also if many together are too long for one text (${encoding})`, async () => {
      const word =
        "case i % 40 when 7 then replace(hex(zeroblob(150000)), '00', 'né') else 'short ' || i end";
      const { database } = await sqliteFile(`pragma encoding = '${encoding}'; ${numbersSql(2000, word)}`);
      const { keyset, keys } = recordedKeyset();

      const rows = await streamed(database, ALL, keyset);

      const lengths = rows.map((row) => row.length);
      expect(rows.length).to.equal(2000);
      expect(lengths.filter((length) => length > 300_000)).to.have.length(50);
      expect(rows).to.deep.equal(await streamed(database, ALL));
      expect(keys).to.have.length.above(2);
    });
  }

  it("reads one snapshot", async () => {
    const { database } = await sqliteFile(`pragma journal_mode = wal; ${numbersSql(5000)}`);
    const { keyset } = recordedKeyset();
    const before = await streamed(database, ALL);

    const rows: string[] = [];
    for await (const batch of database.streamJson(ALL, [], { columns: COLUMNS, keyset })) {
      if (rows.length === 0) {
        await database.write((transaction) => transaction.run("delete from numbers where id % 2 = 0"));
        await database.write((transaction) => transaction.run("insert into numbers values (99999, 'late')"));
      }
      rows.push(...batch.rows);
    }

    expect(rows).to.deep.equal(before);
    expect(await streamed(database, ALL, keyset)).to.have.length(2501);
  });

  it("keeps no lock after its consumer has left", async () => {
    const { database } = await sqliteFile(numbersSql(5000));
    const { keyset } = recordedKeyset();

    for await (const { rows } of database.streamJson(ALL, [], { columns: COLUMNS, keyset })) {
      expect(rows).to.have.length.above(0);
      break;
    }
    await database.write((transaction) => transaction.run("delete from numbers"), { timeoutMs: 1000 });

    expect(await streamed(database, ALL, keyset)).to.deep.equal([]);
  });

  const others = {
    "a key of text": {
      table: "create table numbers (id text primary key, word text);",
      sql: "select id, word from numbers where id > ? order by id",
    },
    "a table without rowid": {
      table: "create table numbers (id integer primary key, word text) without rowid;",
      sql: "select id, word from numbers where id > ? order by id",
    },
    "rows that have to be sorted": {
      table:
        "create table numbers (id integer primary key, word text); create index words on numbers (word);",
      sql: "select id, word from numbers where word > 'number 1' and id > ? order by +id",
    },
    "a table that is read from its beginning": {
      table: "create table numbers (id integer primary key, word text);",
      sql: "select id, word from numbers where +id > ? order by id",
    },
  };
  it("reads the statement of a client without it, which may hide the condition", async () => {
    const { database } = await sqliteFile(numbersSql(2000), { settings: { sql_isolation: "thread" } });
    const { keyset, keys } = recordedKeyset();
    const options = { columns: COLUMNS, keyset, trust: "untrusted" } as const;

    const rows: string[] = [];
    for await (const batch of database.streamJson(ALL, [], options)) rows.push(...batch.rows);

    expect(rows).to.have.length(2000);
    expect(keys).to.deep.equal([]);
  });

  for (const [name, { table, sql }] of Object.entries(others)) {
    it(`reads ${name} with one statement`, async () => {
      const { database } = await sqliteFile(
        numbersSql(2000).replace("create table numbers (id integer primary key, word text);", table),
      );
      const { keyset, keys } = recordedKeyset(sql);

      const rows = await streamed(database, ALL, keyset);

      expect(rows).to.have.length(2000);
      expect(keys).to.deep.equal(["0"]);
    });
  }
});
