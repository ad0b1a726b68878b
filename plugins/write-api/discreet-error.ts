import { SqlFailed, WriteRejected } from "rowhouse/plugin-api";
import type { Database } from "rowhouse/plugin-api";
import type { WriteVisit } from "./admission.js";
import { viewTable } from "./targets.js";

/**
 * A failed write in words that name no table which the actor may neither view nor write to, where a trigger may have
 * failed, and no column that is hidden from them. Any other error comes back as it is.
 */
export async function discreetError(visit: WriteVisit, database: Database, error: unknown): Promise<unknown> {
  if (!(error instanceof SqlFailed || error instanceof WriteRejected)) return error;
  const messages = error instanceof SqlFailed ? [error.message] : error.errors;
  const tables = await unknownTables(visit, database, messages);
  const columns = messages.some(isOfConstraint) ? await hiddenColumns(visit, database) : [];
  if (tables.length === 0 && columns.length === 0) return error;
  const told = messages.map((message) => {
    if (isOfConstraint(message) && tells(message, [...tables, ...columns])) return message.replace(TOLD, "");
    return tells(message, tables) ? message.replace(/: [^:]*$/, "") : message;
  });
  return error instanceof SqlFailed
    ? new SqlFailed(told.join(), error.kind, { cause: error })
    : new WriteRejected(told, error.status, error.headers);
}

/** What the engine tells of a constraint; in other messages stand names that the caller brought. */
const TOLD = /(?<=constraint failed): .*$/s;

const isOfConstraint = (message: string): boolean => TOLD.test(message);

const tells = (message: string, secret: readonly string[]): boolean =>
  secret.some((name) => names(message, name));

/**
 * Columns that plugins hide from the actor as errors name them, `docs.salary`; a failed check is told as it is written,
 * `salary > 0`.
 */
async function hiddenColumns(
  { rowhouse, actor }: WriteVisit,
  database: Database,
): Promise<readonly string[]> {
  const all = [...(await database.schema()).tables.values()];
  const readable = await rowhouse.service("tables").readable(actor, database, all);
  return readable.flatMap(({ table }, index) => {
    const shown = new Set(table.columns.map(({ name }) => name));
    const hidden = all[index]?.columns.filter(({ name }) => !shown.has(name)) ?? [];
    return hidden.flatMap(({ name }) => [name, `${table.name}.${name}`]);
  });
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
