import {
  quoteIdentifier,
  WriteRejected,
  type Schema,
  type Table,
  type Transaction,
} from "rowhouse/plugin-api";
import { meaningful, quoteText, sqlTokens } from "rowhouse/plugin-api/sql";
import { mentionsName, sameName } from "../alter/sql-parts.js";
import { Arguments, objectBody, okReply } from "../json/body.js";
import { eventFacts, runTransaction } from "../operation.js";
import { declaredName } from "../rows/new-columns.js";
import { definitionRoute } from "../target/write-route.js";

/** `POST /<database>/<table>/-/enable-search`. */
export const enableSearchRoute = definitionRoute("enable-search", "enable-search", async (visit) => {
  const { rowhouse, target } = visit;
  const { database, table, schema } = target;
  const body = new Arguments(await objectBody(visit, "JSON must be a dictionary"));
  const replaces = body.allowOnly("columns", "tokenize", "replace").flag("replace") === true;
  const options = parseSearchIndexOptions(body, table);
  const { columns } = options;
  return async () => {
    await runTransaction(visit, { database, table: table.name, schema }, async (transaction) => {
      if (replaces && table.fullText !== null) await dropSearchIndex(transaction, table);
      const changed = await transaction.schema();
      const current = changed.tables.get(table.name) ?? table;
      requireSearchable(current, changed);
      await createSearchIndex(transaction, current, options);
    });
    await rowhouse
      .serviceIfAny("events")
      ?.track({ name: "enable-search", ...eventFacts(visit, target), columns });
    const index = searchTableName(table.name);
    return okReply({ database: database.name, table: table.name, fts_table: index, columns }, 201);
  };
});

function parseSearchIndexOptions(body: Arguments, table: Table): SearchIndexOptions {
  const columns = body.names("columns").map((name) => {
    const found = table.columns.find((column) => sameName(column.name, name));
    if (found === undefined) throw new WriteRejected([`no such column: ${name}`]);
    return found.name;
  });
  if (columns.length === 0) throw new WriteRejected(['"columns" must not be empty']);
  const requested = body.has("tokenize") ? body.get("tokenize") : "unicode61";
  const tokenizer = tokenizers.find((one) => one === requested);
  if (tokenizer === undefined)
    throw new WriteRejected([`"tokenize" must be one of ${tokenizers.join(", ")}`]);
  return { columns, tokenizer };
}

/** `POST /<database>/<table>/-/disable-search`. */
export const disableSearchRoute = definitionRoute("disable-search", "disable-search", async (visit) => {
  const { rowhouse, target } = visit;
  const { database, table, schema } = target;
  return async () => {
    await runTransaction(visit, { database, table: table.name, schema }, (transaction) =>
      dropSearchIndex(transaction, table),
    );
    await rowhouse.serviceIfAny("events")?.track({ name: "disable-search", ...eventFacts(visit, target) });
    return okReply();
  };
});

export const tokenizers = ["unicode61", "porter", "trigram", "ascii"] as const;
export type Tokenizer = (typeof tokenizers)[number];

/** Options of a full-text index. */
export interface SearchIndexOptions {
  readonly columns: readonly string[];
  readonly tokenizer: Tokenizer;
}

/** The name of the full-text table for a table. */
export const searchTableName = (table: string): string => `${table}_fts`;

/** Creates a full-text index over a table, and triggers that keep it up to date. @throws WriteRejected, SqlFailed */
export async function createSearchIndex(
  transaction: Transaction,
  table: Table,
  { columns, tokenizer }: SearchIndexOptions,
): Promise<void> {
  const index = searchTableName(table.name);
  const listed = columns.map(declaredName).join(", ");
  await transaction.run(
    `CREATE VIRTUAL TABLE ${declaredName(index)} USING FTS5 (\n` +
      `    ${listed},\n    tokenize='${tokenizer}',\n    content=${quoteText(table.name)}\n)`,
  );
  for (const sql of triggers(table, index, columns)) await transaction.run(sql);
  const name = quoteIdentifier(index);
  await transaction.run(`insert into ${name} (${name}) values ('rebuild')`);
}

/** To delete a row from the index, FTS5 needs exactly the values that were inserted for it. */
function triggers(table: Table, index: string, columns: readonly string[]): readonly string[] {
  const rowid = declaredName(table.rowidName ?? "rowid");
  const [owner, fts] = [declaredName(table.name), declaredName(index)];
  const listed = columns.map(declaredName).join(", ");
  const of = (row: "old" | "new"): string => columns.map((name) => `${row}.${declaredName(name)}`).join(", ");
  const add = `  INSERT INTO ${fts} (rowid, ${listed}) VALUES (new.${rowid}, ${of("new")});\n`;
  const remove = `  INSERT INTO ${fts} (${fts}, rowid, ${listed}) VALUES ('delete', old.${rowid}, ${of("old")});\n`;
  const trigger = (suffix: string, event: string, body: string): string =>
    `CREATE TRIGGER ${declaredName(`${table.name}_${suffix}`)} AFTER ${event} ON ${owner} BEGIN\n${body}END`;
  return [
    trigger("ai", "INSERT", add),
    trigger("ad", "DELETE", remove),
    trigger("au", "UPDATE", remove + add),
  ];
}

/** Drops the full-text index of a table and the triggers that write to it. @throws WriteRejected */
export async function dropSearchIndex(transaction: Transaction, table: Table): Promise<void> {
  const index = table.fullText?.contentTable === table.name ? table.fullText.table : null;
  if (index === null) throw new WriteRejected([`Search is not enabled for ${table.name}`]);
  for (const { name, sql } of table.triggers) {
    if (mentionsName(meaningful(sqlTokens(sql)), index))
      await transaction.run(`drop trigger ${quoteIdentifier(name)}`);
  }
  await transaction.run(`drop table ${quoteIdentifier(index)}`);
}

/** @throws WriteRejected if the table cannot be indexed, or already is */
export function requireSearchable(table: Table, schema: Schema): void {
  if (!table.hasRowid || table.rowidName === null) {
    throw new WriteRejected([`Search needs rowids, which ${table.name} has none of`]);
  }
  if (table.fullText !== null) throw new WriteRejected([`Search is enabled for ${table.name} already`]);
  const index = searchTableName(table.name);
  if (schema.tables.has(index)) throw new WriteRejected([`table [${index}] already exists`]);
}
