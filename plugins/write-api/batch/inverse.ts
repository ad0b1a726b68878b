import { jsonText, type SqlValue, type Transaction } from "rowhouse/plugin-api";
import { addressText, equalsValue, keyColumns, Real } from "rowhouse/plugin-api/engine";
import type { RawJson, JsonObject } from "rowhouse/plugin-api/json";
import type { TableTarget } from "rowhouse/plugin-api/http";
import { rowVersion } from "../conditional/row-version.js";
import { isObject, truthy } from "../json/cell-values.js";
import { writableJson } from "../json/writable-json.js";
import type { Outcome, WriteOperation } from "../operation.js";
import { addressColumns, rowAddress, type RowTarget } from "../target/row-target.js";
import { ownSpelling } from "../update/changes.js";

/** The operations that undo an operation of a batch, as JSON; null if it cannot be undone. */
export type Inverse = readonly string[] | null;

type Operations = readonly ReadonlyMap<string, unknown>[];

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
    if (op === "delete") return { outcome, inverse: [operationOf("insert", target, { row: before })] };
    const written = await writtenRow(transaction, target, outcome.addresses?.[0] ?? address);
    const inverse = written && [operationOf("update", target, { ...written, update: before })];
    return { outcome, inverse };
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
    const inverse: ReadonlyMap<string, unknown>[] = [];
    for (const address of addresses) {
      const written = await writtenRow(transaction, target, address);
      if (written === null) return { outcome, inverse: null };
      inverse.push(operationOf("delete", target, written));
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
  ) => Promise<{ outcome: Outcome; inverse: Operations | null }>,
): ReversibleOperation {
  let found: readonly string[] | null = null;
  const keep = (inverse: readonly string[] | null): void => {
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
        keep(inverse?.map((one) => jsonText(one)) ?? null);
        return outcome;
      },
    },
    inverse: () => (room.isFull ? null : found),
  };
}

const sizeOf = (inverse: readonly string[] | null): number =>
  inverse?.reduce((total, { length }) => total + length, 0) ?? 0;

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
