import { quoteIdentifier, type Table } from "rowhouse/plugin-api";
import { exactDecimal, realText, type Definitions, type SearchDefinitions } from "rowhouse/plugin-api/engine";
import { meaningful, quoteText, sqlTokens, unquote } from "rowhouse/plugin-api/sql";
import { isSameName } from "rowhouse/plugin-api/names";
import { bracketed } from "./published-identifier.js";

const searchTable = (table: string): string => `${table}_fts`;

/** Full-text tables of FTS5, and triggers that keep them up to date. */
const search: SearchDefinitions = {
  forms: { plain: "unicode61", english: "porter" },
  tokenizers: ["unicode61", "porter", "trigram", "ascii"],
  tableName: searchTable,
  refusal({ name, hasRowid, rowidName, fullText }, { tables }) {
    if (!hasRowid || rowidName === null) return `Search needs rowids, which ${name} has none of`;
    if (fullText !== null) return `Search is enabled for ${name} already`;
    return tables.has(searchTable(name)) ? `table [${searchTable(name)}] already exists` : null;
  },
  create(table, columns, tokenizer) {
    const index = searchTable(table.name);
    const listed = columns.map(bracketed).join(", ");
    return [
      `CREATE VIRTUAL TABLE ${bracketed(index)} USING FTS5 (\n` +
        `    ${listed},\n    tokenize='${tokenizer}',\n    content=${quoteText(table.name)}\n)`,
      ...triggers(table, index, columns),
      rebuild(index),
    ];
  },
  rebuild,
  drop({ fullText, triggers: all }) {
    const index = fullText?.table ?? "";
    const own = all.filter(({ sql }) => mentions(sql, index));
    return [
      ...own.map(({ name }) => `drop trigger ${quoteIdentifier(name)}`),
      `drop table ${quoteIdentifier(index)}`,
    ];
  },
};

function rebuild(index: string): string {
  const name = quoteIdentifier(index);
  return `insert into ${name} (${name}) values ('rebuild')`;
}

const mentions = (sql: string, name: string): boolean =>
  meaningful(sqlTokens(sql)).some(({ text }) => isSameName(unquote(text), name));

/** To delete a row from the index, FTS5 needs exactly the values that were inserted for it. */
function triggers(table: Table, index: string, columns: readonly string[]): readonly string[] {
  const rowid = bracketed(table.rowidName ?? "rowid");
  const [owner, fts] = [bracketed(table.name), bracketed(index)];
  const listed = columns.map(bracketed).join(", ");
  const of = (row: "old" | "new"): string => columns.map((name) => `${row}.${bracketed(name)}`).join(", ");
  const add = `  INSERT INTO ${fts} (rowid, ${listed}) VALUES (new.${rowid}, ${of("new")});\n`;
  const remove = `  INSERT INTO ${fts} (${fts}, rowid, ${listed}) VALUES ('delete', old.${rowid}, ${of("old")});\n`;
  const trigger = (suffix: string, event: string, body: string): string =>
    `CREATE TRIGGER ${bracketed(`${table.name}_${suffix}`)} AFTER ${event} ON ${owner} BEGIN\n${body}END`;
  return [
    trigger("ai", "INSERT", add),
    trigger("ad", "DELETE", remove),
    trigger("au", "UPDATE", remove + add),
  ];
}

/** True if SQLite gives out each key of the table once only, also after its row was deleted. */
export const isAutoincrement = ({ sql }: Table): boolean =>
  meaningful(sqlTokens(sql ?? "")).some(({ text }) => text.toLowerCase() === "autoincrement");

/** A table that never had a row is not in the list. */
function assignAfter(name: string, last: number | bigint): string {
  const row = `from sqlite_sequence where name = ${name}`;
  return (
    `replace into sqlite_sequence (rowid, name, seq) values ((select rowid ${row}), ${name}, ` +
    `max(${last}, coalesce((select seq ${row}), 0)))`
  );
}

export const sqliteDefinitions: Definitions = {
  declaredName: bracketed,
  acceptsColumnName: () => true,
  declaredTypes: { text: "TEXT", integer: "INTEGER", float: "FLOAT", blob: "BLOB" },
  alter: "rebuild",
  defaults: {
    expressions: {
      current_timestamp: "CURRENT_TIMESTAMP",
      current_date: "CURRENT_DATE",
      current_time: "CURRENT_TIME",
      current_unixtime: "(unixepoch())",
      current_unixtime_ms: "(cast(unixepoch('subsec') * 1000 as integer))",
    },
    bytes: (value) => `x'${Buffer.from(value).toString("hex")}'`,
    real: (value) => (Number.isInteger(value) ? realText(value) : exactDecimal(value)),
  },
  textHasNul: true,
  numberType: "NUMERIC",
  numbers: "doubles",
  storedStatements: true,
  addForeignKey: () => null,
  uncheckedKey: "",
  recordForeignKeys: () => null,
  caseInsensitive: {
    type: "TEXT COLLATE NOCASE",
    prepare: null,
    isDeclared: (declaration) => /\bcollate\s+["`[]?nocase\b/i.test(declaration),
  },
  // An INTEGER PRIMARY KEY is the rowid, which SQLite assigns.
  assignedKey: "",
  assignedOnce: " AUTOINCREMENT",
  ownKey: null,
  keyedTable: " WITHOUT ROWID",
  ownRows: ({ name }) => quoteIdentifier(name),
  lastAssigned: (table) =>
    isAutoincrement(table) ? `select seq from sqlite_sequence where name = ${quoteText(table.name)}` : null,
  assignAfter: (table, last) => (isAutoincrement(table) ? assignAfter(quoteText(table.name), last) : null),
  search,
};
