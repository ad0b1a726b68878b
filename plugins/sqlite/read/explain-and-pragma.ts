import { InvalidSql, type SqlParams, type SqlValue } from "rowhouse/plugin-api";
import { bind } from "../sql/bind.js";
import type { Connection, DriverRow } from "../open/connection.js";
import type { Statement } from "../sql/statement.js";
import type { Limits } from "../open/time-limit.js";

/** Typed rows of statements that can't stand inside another one: EXPLAIN and PRAGMA. */
export interface PlainRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
}

/** Is this a statement for `readRaw`? */
export const isExplainOrPragma = ({ verb }: Statement): boolean => verb === "explain" || verb === "pragma";

const EXPLAIN_COLUMNS = ["addr", "opcode", "p1", "p2", "p3", "p4", "p5", "comment"];
const PLAN_COLUMNS = ["id", "parent", "notused", "detail"];

/**
 * Runs an EXPLAIN, or for ourselves a PRAGMA. SQLite names their columns without repetition and fills them
 * with text and small integers, so the driver's rows are right.
 *
 * @throws InvalidSql for an EXPLAIN of anything that SQLite might carry out while compiling it
 */
export async function readExplainOrPragma(
  connection: Connection,
  statement: Statement,
  params: SqlParams | undefined,
  limits: Limits,
): Promise<PlainRows> {
  const fixed = statement.verb === "explain" ? explainColumns(statement) : null;
  const rows = await connection.once<DriverRow>(bind(statement, params), limits);
  const columns = fixed ?? Object.keys(rows[0] ?? {});
  return { columns, rows: rows.map((row) => columns.map((column) => row[column] ?? null)) };
}

function explainColumns({ tokens }: Statement): readonly string[] {
  const words = tokens.slice(1, 4).map(({ text }) => text.toLowerCase());
  const isPlan = words[0] === "query" && words[1] === "plan";
  const explained = (isPlan ? words[2] : words[0]) ?? "";
  if (!EXPLAINABLE.has(explained)) throw new InvalidSql("Statement must be a SELECT");
  return isPlan ? PLAN_COLUMNS : EXPLAIN_COLUMNS;
}

const EXPLAINABLE: ReadonlySet<string> = new Set([
  "select",
  "with",
  "values",
  "insert",
  "update",
  "delete",
  "replace",
]);
