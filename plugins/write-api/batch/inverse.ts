import { jsonText, type SqlValue, type Transaction } from "rowhouse/plugin-api";
import { addressText, equalsValue, keyColumns, Real } from "rowhouse/plugin-api/engine";
import type { RawJson, JsonObject } from "rowhouse/plugin-api/json";
import type { TableTarget } from "rowhouse/plugin-api/http";
import { rowVersion, versionOf } from "../conditional/row-version.js";
import { columnsVersion } from "./columns-version.js";
import { isObject, truthy } from "../json/cell-values.js";
import { writableJson } from "../json/writable-json.js";
import type { Outcome, WriteOperation } from "../operation.js";
import { addressColumns, rowAddress, type RowTarget } from "../target/row-target.js";
import { ownSpelling } from "../update/changes.js";

/** The operations that undo an operation of a batch, with their JSON; null if it cannot be undone. */
type Inverse = readonly (InverseOperation & { readonly text: string })[] | null;

interface InverseOperation {
  readonly members: ReadonlyMap<string, unknown>;
  /** The row that it changes, as the operation of the batch left it; null for a row that it inserts. */
  readonly row: string | null;
  /** The row after it, as it was before the operation of the batch; null if it updates none. */
  readonly restored: string | null;
}

/** The room for the operations that undo a batch: what is too large for the body of another batch is not kept. */
export class InverseRoom {
  readonly #characters: number;
  #used = 0;

  /** @param maxBodyBytes of a request; 0 is no limit */
  constructor(maxBodyBytes: number) {
    this.#characters = maxBodyBytes > 0 ? maxBodyBytes : Infinity;
  }

  get isFull(): boolean {
    return this.#used > this.#characters;
  }

  /** Takes or returns room. */
  add(characters: number): void {
    this.#used += characters;
  }
}

/** An operation that, while it runs, also finds its inverse. */
export interface ReversibleOperation {
  readonly operation: WriteOperation;
  /** The inverse of the last run. */
  inverse(): Inverse;
}

/** An operation without an inverse: upserts, and writes by filter. */
export const irreversible = (operation: WriteOperation): ReversibleOperation => ({
  operation,
  inverse: () => null,
});

type Write<Target = RowTarget> = {
  readonly op: "update" | "delete";
  readonly target: Target;
  readonly document: JsonObject;
};

/** The inverse of an update writes the earlier values; that of a deletion inserts the row with its key. */
export function reversibleRowWrite(
  operation: WriteOperation,
  room: InverseRoom,
  { op, target, document }: Write,
): ReversibleOperation {
  const columns = op === "update" ? updatedColumns(document, target) : storedColumns(target);
  return reversible(operation, room, async (transaction, run) => {
    if (room.isFull) return { outcome: await run(), inverse: null };
    const { dialect } = target.database;
    const all = transaction.all.bind(transaction);
    const address = await rowAddress(all, { dialect, source: target.source, key: target.key });
    const before = columns === null ? null : await valuesAt(transaction, target, columns, address);
    const outcome = await run();
    if (outcome.count === 0) return { outcome, inverse: [] };
    if (before === null) return { outcome, inverse: null };
    if (op === "delete") {
      const members = operationOf("insert", target, {
        if_columns: columnsVersion(target, before.keys()),
        row: before,
      });
      return { outcome, inverse: [{ members, row: null, restored: null }] };
    }
    const after = outcome.addresses?.[0] ?? address;
    const written = await writtenRow(transaction, target, after);
    if (written === null) return { outcome, inverse: null };
    const if_columns = columnsVersion(target, before.keys());
    const members = operationOf("update", target, { ...written, if_columns, update: before });
    const restored = rowName(target, address);
    return { outcome, inverse: [{ members, row: rowName(target, after), restored }] };
  });
}

/** The inverse of an insert that returns its rows deletes them. Rows that replace others, or are ignored, have none. */
export function reversibleInsert(
  operation: WriteOperation,
  room: InverseRoom,
  { target, document }: Omit<Write<TableTarget>, "op">,
): ReversibleOperation {
  const hasInverse = !["ignore", "replace", "alter"].some((name) => truthy(document.get(name)));
  const returnsRows = document.has("row") || truthy(document.get("return"));
  return reversible(operation, room, async (transaction, run) => {
    const { rows, ...others } = await run();
    const outcome = { ...others, rows: returnsRows ? rows : null };
    const { addresses = null } = others;
    if (!hasInverse || addresses === null || room.isFull) return { outcome, inverse: null };
    const inverse: InverseOperation[] = [];
    for (const address of addresses) {
      const written = await writtenRow(transaction, target, address);
      if (written === null) return { outcome, inverse: null };
      const members = operationOf("delete", target, written);
      inverse.push({ members, row: rowName(target, address), restored: null });
    }
    return { outcome, inverse: inverse.toReversed() };
  });
}

type Run = () => Promise<Outcome>;

function reversible(
  operation: WriteOperation,
  room: InverseRoom,
  runAndInvert: (
    transaction: Transaction,
    run: Run,
  ) => Promise<{ outcome: Outcome; inverse: readonly InverseOperation[] | null }>,
): ReversibleOperation {
  let found: Inverse = null;
  const keep = (inverse: Inverse): void => {
    room.add(sizeOf(inverse) - sizeOf(found));
    found = inverse;
  };
  return {
    operation: {
      ...operation,
      bulk: null,
      run: async (transaction) => {
        // An earlier run was rolled back.
        keep(null);
        const { outcome, inverse } = await runAndInvert(transaction, () => operation.run(transaction));
        keep(inverse?.map((one) => ({ ...one, text: jsonText(one.members) })) ?? null);
        return outcome;
      },
    },
    inverse: () => (room.isFull ? null : found),
  };
}

const sizeOf = (inverse: Inverse): number =>
  inverse?.reduce((total, { text }) => total + text.length, 0) ?? 0;

/** A row by its table and address. */
const rowName = ({ table }: TableTarget, address: readonly SqlValue[]): string =>
  versionOf([table.name], address);

/**
 * The operations that undo a batch, as text: JSON in JavaScript would lose digits of large integers on its way back. Null if
 * one operation has none, if they are too large for a request, or if the batch wrote nothing.
 */
export function undoText(prepared: readonly ReversibleOperation[]): string | null {
  const inverses = prepared.map(({ inverse }) => inverse()).toReversed();
  const operations = inverses.flatMap((inverse) => inverse ?? []);
  if (operations.length === 0 || inverses.includes(null)) return null;
  // The first update of a row compares its version. After that its triggers may have changed other columns.
  const restoredRows = new Set<string | null>();
  const texts = operations.map(({ members, text, row, restored }) => {
    const isCompared = row !== null && restoredRows.has(row);
    if (restored !== null) restoredRows.add(restored);
    return isCompared ? jsonText(new Map([...members].filter(([name]) => name !== "if_match"))) : text;
  });
  return `[${texts.join(", ")}]`;
}

const operationOf = (
  op: "insert" | "update" | "delete",
  { table }: TableTarget,
  members: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, unknown> => new Map(Object.entries({ op, table: table.name, ...members }));

/** The columns that an update changes; null if one of them is hidden from the actor, or new. */
function updatedColumns(document: JsonObject, { source }: RowTarget): readonly string[] | null {
  const update = document.get("update");
  if (!isObject(update)) return null;
  const columns = [...update.keys()].map(ownSpelling(source.table.columns));
  return columns.every((name) => name !== undefined) ? columns : null;
}

/** All columns that an insert can write; null if there are others, or if one of them is hidden from the actor. */
function storedColumns({ schema, table, source }: RowTarget): readonly string[] | null {
  if (table.hasUnlistedValues === true) return null;
  const all = schema?.tables.get(table.name)?.columns ?? table.columns;
  if (all.length !== source.table.columns.length) return null;
  const own = all.filter(({ hidden, generated }) => !hidden && generated === "no").map(({ name }) => name);
  return [...keyColumns(table).filter((key) => !own.includes(key)), ...own];
}

async function valuesAt(
  transaction: Transaction,
  target: TableTarget,
  columns: readonly string[],
  address: readonly SqlValue[],
): Promise<ReadonlyMap<string, RawJson> | null> {
  const row = await readRow(transaction, target, columns, address);
  if (row === null || !row.every(isRestorable)) return null;
  return new Map(columns.map((name, place) => [name, writableJson(row[place] ?? null)]));
}

/** JSON has no infinite numbers. Bytes of a text that are not UTF-8 were replaced by U+FFFD, which is another value. */
const isRestorable = (value: SqlValue): boolean =>
  value instanceof Real
    ? Number.isFinite(value.value)
    : typeof value !== "string" || !value.includes("\ufffd");

/** The key and the version of a row; null if the actor cannot read it, or if its key cannot be written as text. */
async function writtenRow(
  transaction: Transaction,
  target: TableTarget,
  address: readonly SqlValue[],
): Promise<{ readonly key: readonly string[]; readonly if_match: string } | null> {
  const { dialect } = target.database;
  const key = await readRow(transaction, target, keyColumns(target.table), address);
  const all = transaction.all.bind(transaction);
  const version = await rowVersion(dialect, all, target.source, address);
  const isText = key?.every((part) => part !== null && !(part instanceof Uint8Array)) ?? false;
  return key === null || version === null || !isText
    ? null
    : { key: key.map(addressText), if_match: version };
}

/** A row as the actor may read it; null if it does not exist. */
async function readRow(
  transaction: Transaction,
  { database: { dialect }, source, table }: TableTarget,
  columns: readonly string[],
  address: readonly SqlValue[],
): Promise<readonly SqlValue[] | null> {
  if (columns.length === 0) return [];
  const sql =
    `select ${columns.map(dialect.quoteIdentifier).join(", ")} from ${source.flattenable} ` +
    `where ${addressColumns(table)
      .map((name, place) => equalsValue(dialect, { table, name }, `:address${place}`))
      .join(" and ")}`;
  const values = Object.fromEntries(address.map((value, place) => [`address${place}`, value]));
  const { rows } = await transaction.all(sql, { ...source.params, ...values });
  return rows[0] ?? null;
}
