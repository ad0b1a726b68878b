import { createHash } from "node:crypto";
import {
  StartupError,
  type Database,
  type Schema,
  type SqlValue,
  type Table,
  type Transaction,
} from "rowhouse/plugin-api";
import { encodeRows } from "rowhouse/plugin-api/engine";
import { carried, comparable, isChanged, withoutNul } from "./carried-value.js";
import { carriedTypes, NO_LIMIT, sourceOf } from "./column-kinds.js";
import {
  createSearch,
  createStatement,
  createView,
  finishTable,
  type Losses,
  type TableCopy,
} from "./create-target.js";

/** Which databases are copied, and where progress is reported. */
export interface Copying {
  readonly from: Database;
  readonly to: Database;
  /** Called after each batch of rows. */
  readonly onRows: (table: string, count: number) => void;
}

/** What was copied. */
export interface CopyReport {
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  readonly losses: readonly string[];
}

/** Rows of one INSERT statement, as far as their text is not too long. */
const MAX_BATCH_CHARACTERS = 4_000_000;

/**
 * Copies all tables of a database in one transaction of the target: a copy that is interrupted leaves nothing behind.
 * Then counts and checksums of both sides are compared.
 *
 * @throws StartupError if a table exists already, or if the copy differs
 */
export async function copyDatabase(copying: Copying): Promise<CopyReport> {
  const { from, to } = copying;
  const schema = await from.schema();
  const losses: Losses = [];
  const all = [...schema.tables.values()];
  const tables = all.filter(({ kind, name }) => kind === "table" && !isInternal(name));
  await requireNewNames(to, all);
  const copies: TableCopy[] = [];
  for (const table of tables) {
    const source = sourceOf(from, table);
    copies.push({ ...source, types: await carriedTypes(from, source) });
  }
  for (const { name, kind, fullText } of all)
    if (kind === "virtual" && (fullText === null || fullText.contentTable === null))
      losses.push(`the virtual table ${name}`);
  const counts = await to.write((transaction) => copyAll(copying, transaction, { copies, schema, losses }));
  for (const copy of copies) await compare(copying, copy, counts.get(copy.table.name) ?? 0);
  return { tables: [...counts].map(([name, rows]) => ({ name, rows })), losses };
}

const isInternal = (name: string): boolean => /^(?:sqlite_|_rowhouse_)/i.test(name);

async function requireNewNames(to: Database, tables: readonly Table[]): Promise<void> {
  const taken = (await to.schema()).tables;
  const found = tables.find(({ name }) => taken.has(name) && !isInternal(name));
  if (found !== undefined)
    throw new StartupError(`The target has a table or view named ${found.name} already`);
}

interface Plan {
  readonly copies: readonly TableCopy[];
  readonly schema: Schema;
  readonly losses: Losses;
}

async function copyAll(
  copying: Copying,
  transaction: Transaction,
  { copies, schema, losses }: Plan,
): Promise<ReadonlyMap<string, number>> {
  const { dialect } = copying.to;
  for (const copy of copies) await transaction.run(createStatement(dialect, copy, losses));
  const { tables } = await transaction.schema();
  const counts = new Map<string, number>();
  for (const copy of copies) {
    const target = tables.get(copy.table.name);
    if (target !== undefined)
      counts.set(target.name, await copyRows(copying, transaction, { copy, target, losses }));
  }
  for (const copy of copies) await finishTable(dialect, transaction, copy, losses);
  for (const { table } of copies) {
    const columns = searchColumns(schema, table);
    if (columns.length > 0) await createSearch(dialect, transaction, table.name, columns);
  }
  for (const view of schema.tables.values())
    if (view.kind === "view") await createView(dialect, transaction, view, losses);
  return counts;
}

/** The columns of a table's full-text index; empty if it has none. */
function searchColumns({ tables }: Schema, { fullText, name }: Table): readonly string[] {
  if (fullText === null || fullText.contentTable !== name) return [];
  const index = tables.get(fullText.table);
  return (
    fullText.columns ?? index?.columns.filter(({ hidden }) => !hidden).map((column) => column.name) ?? []
  );
}

interface RowsCopy {
  readonly copy: TableCopy;
  readonly target: Table;
  readonly losses: Losses;
}

async function copyRows(
  { from, to: { dialect }, onRows }: Copying,
  transaction: Transaction,
  { copy, target, losses }: RowsCopy,
): Promise<number> {
  const { columns, types } = copy;
  const { textHasNul } = dialect.definitions;
  const changed = new Map<string, number>();
  let count = 0;
  const insert = async (rows: readonly (readonly SqlValue[])[]): Promise<void> => {
    const { json, kinds } = encodeRows({ columns, rows });
    const select = dialect.packedRows({ table: target, columns, kinds, parameter: "?" });
    const sql = dialect.insertRows({ table: target, columns, select, conflict: "fail", returning: [] });
    await transaction.run(sql, [json]);
    count += rows.length;
    onRows(target.name, count);
  };
  for await (const { rows } of from.stream(copy.sql, [], NO_LIMIT)) {
    const values = rows.map((row) =>
      row.map((value, index) => {
        const type = types[index] ?? "text";
        const column = columns[index] ?? "";
        if (isChanged(value, type, textHasNul)) changed.set(column, (changed.get(column) ?? 0) + 1);
        const one = carried(value, type);
        return textHasNul ? one : withoutNul(one);
      }),
    );
    for (const batch of batches(values)) await insert(batch);
  }
  for (const [column, number] of changed)
    losses.push(`${target.name}.${column}: ${number} values with U+0000 were changed`);
  const after = dialect.definitions.afterInsert(target, columns);
  if (after !== null && count > 0) await transaction.all(after);
  return count;
}

function* batches(rows: readonly (readonly SqlValue[])[]): Generator<readonly (readonly SqlValue[])[]> {
  let batch: (readonly SqlValue[])[] = [];
  let length = 0;
  for (const row of rows) {
    batch.push(row);
    for (const value of row)
      length += typeof value === "string" ? value.length : value instanceof Uint8Array ? value.length * 2 : 8;
    if (length < MAX_BATCH_CHARACTERS) continue;
    yield batch;
    batch = [];
    length = 0;
  }
  if (batch.length > 0) yield batch;
}

/** @throws StartupError unless both sides have the same number of rows and the same values */
async function compare({ from, to }: Copying, copy: TableCopy, copied: number): Promise<void> {
  const { name } = copy.table;
  const list = copy.columns.map(to.dialect.quoteIdentifier).join(", ");
  const [there, here] = await Promise.all([
    checksum(from, copy.sql, copy),
    checksum(to, `select ${list} from ${to.dialect.quoteIdentifier(name)}`, copy),
  ]);
  if (here.rows !== copied || there.rows !== here.rows)
    throw new StartupError(`${name} has ${there.rows} rows, its copy ${here.rows}`);
  if (there.sum !== here.sum) throw new StartupError(`The copy of ${name} has other values`);
}

/** The sum of the digests of all rows, which does not depend on their order. */
async function checksum(database: Database, sql: string, { types }: TableCopy) {
  let rows = 0;
  let sum = 0n;
  for await (const batch of database.stream(sql, [], NO_LIMIT)) {
    for (const row of batch.rows) {
      const text = JSON.stringify(row.map((value, index) => comparable(value, types[index] ?? "text")));
      sum = BigInt.asUintN(64, sum + createHash("sha256").update(text).digest().readBigUInt64LE());
      rows += 1;
    }
  }
  return { rows, sum };
}
