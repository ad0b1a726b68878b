import { SqlFailed, WriteRejected } from "rowhouse/plugin-api";
import type { Database } from "rowhouse/plugin-api";
import type { WriteVisit } from "./admission.js";
import { viewTable } from "./targets.js";

/**
 * A failed write in words that name no table which the actor may neither view nor write to: a trigger may have
 * failed there. Any other error comes back as it is.
 */
export async function discreetError(visit: WriteVisit, database: Database, error: unknown): Promise<unknown> {
  if (!(error instanceof SqlFailed || error instanceof WriteRejected)) return error;
  const messages = error instanceof SqlFailed ? [error.message] : error.errors;
  const secret = await unknownTables(visit, database, messages);
  if (secret.length === 0) return error;
  const told = messages.map((message) =>
    secret.some((name) => names(message, name)) ? message.replace(/: [^:]*$/, "") : message,
  );
  return error instanceof SqlFailed
    ? new SqlFailed(told.join(), error.kind, { cause: error })
    : new WriteRejected(told, error.status, error.headers);
}

const WRITES = ["insert-row", "update-row", "delete-row", "alter-table"] as const;

/** Tables that the messages name and that are hidden from the actor in every respect. */
async function unknownTables(
  { rowhouse, actor }: WriteVisit,
  database: Database,
  messages: readonly string[],
): Promise<readonly string[]> {
  const { tables } = await database.schema();
  const named = [...tables.keys()].filter((name) => messages.some((message) => names(message, name)));
  const known = await Promise.all(
    named.map(async (name) => {
      const { visible } = await rowhouse.visibility(actor, viewTable(database.name, name));
      const writes = WRITES.map((action) => rowhouse.allowed(actor, action, [database.name, name]));
      return visible || (await Promise.all(writes)).some(Boolean);
    }),
  );
  return named.filter((_, index) => known[index] === false);
}

/** `UNIQUE constraint failed: docs.id` names `docs`; `docs` may also be part of another word. */
function names(message: string, table: string): boolean {
  const text = message.replaceAll("main.", "").toLowerCase();
  const name = table.toLowerCase();
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    if (!/[\w.]/.test(text.charAt(at - 1)) && !/\w/.test(text.charAt(at + name.length))) return true;
  }
  return false;
}
