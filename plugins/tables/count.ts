import type { Database, Request, Rowhouse, Table } from "rowhouse/plugin-api";
import { unlessInterrupted } from "rowhouse/plugin-api/errors";
import type { Selection } from "rowhouse/plugin-api/contracts";
import { paramsKey, type ReadOptions } from "rowhouse/plugin-api/engine";
import { readOptionsOf } from "rowhouse/plugin-api/sql";
import { cached } from "./version-cache.js";

/** A number of rows: counted, or estimated by the engine because counting takes long. */
interface KnownCount {
  readonly kind: "exact" | "estimate";
  readonly rows: number;
}

/** A number of rows, or `pending` while a large file is still being counted. */
export type RowCount = KnownCount | { readonly kind: "pending"; readonly rows: null };

const PENDING: RowCount = { kind: "pending", rows: null };

/** A page waits for the count of a file of this size for `MAX_WAIT_MS`. A later page shows it. */
const LARGE_FILE_BYTES = 100_000_000;
const MAX_WAIT_MS = 100;

/** Engines that estimate are not asked to count for longer: every write of any process makes a count outdated. */
const EXACT_COUNT_MS = 500;

interface CountedSelection extends Selection {
  /** False if an estimate would tell something of rows that the actor may not read. */
  readonly mayEstimate: boolean;
}

/**
 * Number of rows in a selection, cached until the data changes; null if counting exceeds the time limit, and the engine
 * does not estimate or must not. Counting a large file continues after this has returned `pending`.
 */
export async function countSelection(
  rowhouse: Rowhouse,
  request: Request,
  { database, fromWhere, params, mayEstimate, ...selection }: CountedSelection,
): Promise<RowCount | null> {
  const key = `count ${mayEstimate ? "or estimate " : ""}${fromWhere} ${paramsKey(params)}`;
  const longestMs = rowhouse.setting("sql_time_limit_ms");
  const estimates = mayEstimate && !selection.untrusted && database.estimateRows !== undefined;
  const counting = cached<KnownCount | null>(request, { database, table: selection.table }, key, async () => {
    const rows = await countRows(database, `select count(*) ${fromWhere}`, params, {
      timeLimitMs: estimates ? Math.min(longestMs, EXACT_COUNT_MS) : longestMs,
      ...readOptionsOf(selection),
    });
    if (rows !== null) return { kind: "exact", rows };
    const estimate = estimates ? await database.estimateRows?.(`select 1 ${fromWhere}`, params) : null;
    return typeof estimate === "number" ? { kind: "estimate", rows: estimate } : null;
  });
  return estimates ? counting : orPending(database, counting);
}

/** The size of the file and not the time alone decides, so that a busy machine still counts small tables. */
function orPending(database: Database, counting: Promise<RowCount | null>): Promise<RowCount | null> {
  return new Promise((resolve, reject) => {
    const giveUp = async (): Promise<void> => {
      const { sizeBytes } = await database.describe();
      if (sizeBytes >= LARGE_FILE_BYTES) resolve(PENDING);
    };
    // An error of `describe` says nothing about the count.
    const timer = setTimeout(() => void giveUp().catch(() => {}), MAX_WAIT_MS);
    void counting.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

/** The count of an immutable database's table in the inspect file; null if there is none. */
export function inspectedCount(rowhouse: Rowhouse, database: Database, table: Table): number | null {
  if (database.mutable) return null;
  const tables = rowhouse.option("inspect")?.[database.name]?.tables;
  return tables !== undefined && Object.hasOwn(tables, table.name)
    ? (tables[table.name]?.count ?? null)
    : null;
}

/** The result of a statement that counts; null if it exceeds the time limit. */
export async function countRows(
  database: Database,
  sql: string,
  params: Selection["params"],
  options: ReadOptions,
): Promise<number | null> {
  const found = await unlessInterrupted(database.read(sql, params, { ...options, columns: ["count(*)"] }));
  return found === null ? null : Number(found.rows[0]?.[0] ?? 0);
}
