import { rm } from "node:fs/promises";
import { buildDatabase } from "../spec/harness/raw-sqlite.js";

/** The path of a statement on the database, as JSON. */
export const sqlPath = (sql: string): string => `/bench.json?sql=${encodeURIComponent(sql)}`;

/**
 * Creates `file` with one table of this many rows, with ten columns of common types, a small one like it, and
 * one with a full-text index.
 */
export async function buildLibrary(file: string, rows: number, journalMode = "delete"): Promise<void> {
  await rm(file, { force: true });
  await buildDatabase(
    file,
    `pragma journal_mode = ${journalMode};
     create table readings (
       id integer primary key, name text, kind text, place integer, level real, height real,
       noted text, opened text, score integer, note text
     );
     with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})
     insert into readings
     select i, 'Reading number ' || i, substr('lighthousebeaconbuoyradio', 1 + i % 20, 6), i % 97, i / 7.0,
       (i * 37 % 1000) / 8.0, case when i % 5 = 0 then null else 'Noted by keeper ' || (i % 13) end,
       date('2000-01-01', '+' || (i % 9000) || ' days'), i * 7919 % 100003,
       'A longer remark on reading ' || i || ', with a "quote", a comma and an é'
     from n;
     create table few as select * from readings limit 10;
     create table notes (id integer primary key, body text);
     insert into notes select id, note || ', of ' || case when id % 3 then 'a beacon' else 'a buoy' end
       from readings limit 20000;
     create virtual table notes_fts using fts5(body, content='notes', content_rowid='id');
     insert into notes_fts(notes_fts) values ('rebuild');`,
  );
}
