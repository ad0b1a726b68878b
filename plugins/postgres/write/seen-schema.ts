import type { Schema } from "rowhouse/plugin-api";

/**
 * The version of the schema in a snapshot of a server. Another statement with the same snapshot sees the same schema,
 * and the catalogue need not be read for it.
 */
export interface SeenSchema {
  /** As `pg_current_snapshot` writes it. */
  readonly snapshot: string;
  readonly version: string;
  /** How many statements in a row had the snapshot that was expected. */
  readonly confirmations: number;
}

/** After this many it is likely that no other transaction comes between the next statement and the last one. */
const MANY_CONFIRMATIONS = 5;

/** True if a statement may be made for this snapshot only. If it has another one, it must be repeated. */
export const isLikely = ({ confirmations }: SeenSchema): boolean => confirmations >= MANY_CONFIRMATIONS;

/** The snapshot of a statement. */
export const SNAPSHOT = "cast(pg_current_snapshot() as text)";

/** The columns of a statement that `schemaSeenAfter` takes. */
export const SNAPSHOT_COLUMNS = `${SNAPSHOT}, cast(pg_current_xact_id() as text)`;

/** The number of `SNAPSHOT_COLUMNS`. */
export const SNAPSHOT_WIDTH = 2;

/** A part of CASE whose value is `true` in the snapshot, and `schema` if the schema has another version. */
export const schemaConditions = (fingerprint: string, version: string, snapshot: string): string =>
  `when ${SNAPSHOT} = ${snapshot} then 'true' when (${fingerprint}) <> ${version} then 'schema'`;

/**
 * What is known of the schema after a transaction that has seen it and changed rows: the snapshot that differs from its
 * own by this transaction only shows the same schema.
 *
 * @param columns the values of `SNAPSHOT_COLUMNS`
 * @param before what was known before the transaction
 * @returns null if other transactions were running or have come between, or if triggers can have changed the schema
 */
export function schemaSeenAfter(
  columns: readonly (string | null)[],
  schema: Schema,
  before: SeenSchema | undefined,
): SeenSchema | null {
  const [snapshot, transaction] = columns;
  if (typeof transaction !== "string" || snapshot !== `${transaction}:${transaction}:`) return null;
  if (hasTriggers(schema)) return null;
  const next = BigInt(transaction) + 1n;
  const confirmations = before?.snapshot === snapshot ? before.confirmations + 1 : 0;
  return { snapshot: `${next}:${next}:`, version: schema.version, confirmations };
}

const withTriggers = new WeakMap<Schema, boolean>();

function hasTriggers(schema: Schema): boolean {
  const known = withTriggers.get(schema);
  if (known !== undefined) return known;
  const found = [...schema.tables.values()].some(({ triggers }) => triggers.length > 0);
  withTriggers.set(schema, found);
  return found;
}
