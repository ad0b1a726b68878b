import type { Dialect } from "rowhouse/plugin-api/engine";
import type { Table, Transaction } from "rowhouse/plugin-api";
import { meaningful, sqlTokens, unquote } from "rowhouse/plugin-api/sql";
import { SqlFailed } from "rowhouse/plugin-api/errors";
import type { CarriedType, SourceTable } from "./column-kinds.js";

/** A table to copy, with the types of its columns in the target. */
export interface TableCopy extends SourceTable {
  readonly types: readonly CarriedType[];
}

/** What could not be carried, in words. */
export type Losses = string[];

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The CREATE TABLE statement of the target. */
export function createStatement(dialect: Dialect, copy: TableCopy, losses: Losses): string {
  const { definitions } = dialect;
  const name = definitions.declaredName;
  const { table, columns, types } = copy;
  const keys = table.primaryKeys;
  const single = keys.length === 1 ? keys[0] : undefined;
  const own = copy.hasOwnKey ? columns.slice(1) : columns;
  const lines = own.map((column) => {
    const index = columns.indexOf(column);
    const type = types[index] ?? "text";
    const declared = type === "number" ? definitions.numberType : definitions.declaredTypes[type];
    const found = table.columns.find((one) => one.name === column);
    const isKey = column === single;
    return [
      `${name(column)} ${declared}`,
      isKey ? `${type === "integer" ? definitions.assignedKey : ""} PRIMARY KEY`.trim() : "",
      found?.notNull === true && !isKey ? "NOT NULL" : "",
      defaultClause(copy, column, losses),
    ]
      .filter((part) => part !== "")
      .join(" ");
  });
  if (copy.hasOwnKey && definitions.ownKey !== null) lines.unshift(definitions.ownKey);
  if (sqlTokens(table.sql ?? "").some(({ text }) => text.toLowerCase() === "check"))
    losses.push(`${table.name}: CHECK constraints`);
  if (keys.length > 1) lines.push(`PRIMARY KEY (${keys.map(name).join(", ")})`);
  for (const index of table.indexes) {
    const unique = index.columns.filter((column) => column !== null);
    if (index.origin === "u" && unique.length === index.columns.length)
      lines.push(`UNIQUE (${unique.map(name).join(", ")})`);
  }
  // The schema lists the last one first.
  for (const key of table.foreignKeys.toReversed()) {
    if (definitions.addForeignKey(table.name, key) !== null) continue;
    lines.push(
      `FOREIGN KEY (${key.columns.map(name).join(", ")}) REFERENCES ${name(key.otherTable)} ` +
        `(${key.otherColumns.map(name).join(", ")}) ON DELETE ${key.onDelete} ON UPDATE ${key.onUpdate}`,
    );
  }
  return `CREATE TABLE ${name(table.name)} (\n${lines.map((line) => `  ${line}`).join(",\n")}\n)`;
}

const LITERAL = /^(?:-?\d+(?:\.\d+)?|'(?:[^']|'')*'|null|current_timestamp|current_date)(?:::[a-z ]+)?$/i;

function defaultClause({ table, types, columns }: TableCopy, column: string, losses: Losses): string {
  const found = table.columns.find(({ name }) => name === column);
  const sql = found?.defaultSql ?? null;
  if (found?.generated !== undefined && found.generated !== "no")
    losses.push(`${table.name}.${column}: the values of a generated column are copied, not its expression`);
  if (sql === null || found?.isAssigned === true) return "";
  const type = types[columns.indexOf(column)];
  const isText = sql.startsWith("'");
  if (LITERAL.test(sql) && isText === (type === "text")) return `DEFAULT ${sql.replace(/::[a-z ]+$/i, "")}`;
  losses.push(`${table.name}.${column}: the default ${sql}`);
  return "";
}

/** Indexes, foreign keys and searches, after the rows. What the target refuses is a loss. */
export async function finishTable(
  dialect: Dialect,
  transaction: Transaction,
  { table }: TableCopy,
  losses: Losses,
): Promise<void> {
  const attempt = async (what: string, sql: string): Promise<void> => {
    await transaction
      .run(sql)
      .catch((error: unknown) => losses.push(`${table.name}: ${what}: ${messageOf(error)}`));
  };
  const { declaredName: name, addForeignKey, uncheckedKey } = dialect.definitions;
  for (const { origin, columns, partial, unique, name: index } of table.indexes) {
    if (origin !== "c") continue;
    if (partial || columns.includes(null)) {
      losses.push(`${table.name}: the index ${index}, which is partial or of an expression`);
      continue;
    }
    const list = columns.flatMap((column) => (column === null ? [] : [name(column)])).join(", ");
    const verb = unique ? "CREATE UNIQUE INDEX" : "CREATE INDEX";
    await attempt(`the index ${index}`, `${verb} ${name(index)} ON ${name(table.name)} (${list})`);
  }
  for (const key of table.foreignKeys.toReversed()) {
    const sql = addForeignKey(table.name, key);
    if (sql === null) continue;
    const what = `the foreign key to ${key.otherTable}`;
    const failure = await transaction.run(sql).then(
      () => null,
      (error: unknown) => error,
    );
    if (failure === null) continue;
    if (!(failure instanceof SqlFailed) || failure.kind !== "constraint") {
      losses.push(`${table.name}: ${what}: ${messageOf(failure)}`);
      continue;
    }
    losses.push(`${table.name}: ${what} holds for new rows only: ${messageOf(failure)}`);
    await attempt(what, sql + uncheckedKey);
  }
  for (const trigger of table.triggers) {
    if (table.fullText === null) losses.push(`${table.name}: the trigger ${trigger.name}`);
  }
}

/** Makes the search of a table. @param columns the indexed columns */
export async function createSearch(
  dialect: Dialect,
  transaction: Transaction,
  name: string,
  columns: readonly string[],
): Promise<void> {
  const table = (await transaction.schema()).tables.get(name);
  const { search } = dialect.definitions;
  if (table === undefined || columns.length === 0) return;
  for (const sql of search.create(table, columns, search.tokenizers[0] ?? "")) await transaction.run(sql);
}

/** Makes a view from its definition, if the target understands it. */
export async function createView(
  dialect: Dialect,
  transaction: Transaction,
  view: Table,
  losses: Losses,
): Promise<void> {
  const tokens = sqlTokens(view.sql ?? "");
  const as = meaningful(tokens).find(({ kind, text }) => kind === "word" && text.toLowerCase() === "as");
  const query = tokens
    .filter(({ start }) => as !== undefined && start > as.start)
    .map(({ kind, text }) => (kind === "name" ? dialect.quoteIdentifier(unquote(text)) : text))
    .join("");
  await transaction
    .run(`CREATE VIEW ${dialect.definitions.declaredName(view.name)} AS ${query}`)
    .catch((error: unknown) => losses.push(`the view ${view.name}: ${messageOf(error)}`));
}
