import { jsonText } from "rowhouse/plugin-api";
import type { TrackedEvent } from "rowhouse/plugin-api";

/** One row of the table, as it is inserted. */
export interface NewEntry {
  /** As `2026-01-31T12:00:00.000Z`, so that text sorts as time. */
  readonly created: string;
  readonly event: string;
  /** Null for anonymous. */
  readonly actor_id: string | null;
  /** The whole actor as JSON. */
  readonly actor: string | null;
  readonly database_name: string | null;
  readonly table_name: string | null;
  readonly num_rows: number | null;
  /** What else the event tells, as a JSON object. */
  readonly details: string;
}

/** Who, what, where and how much, in columns; the rest as JSON. */
export function entryOf(event: TrackedEvent): NewEntry {
  const { name, actor, created, ...rest } = event;
  const facts: Readonly<Record<string, unknown>> = rest;
  const { database, table, num_rows: rows, ...details } = facts;
  return {
    created: created.toISOString(),
    event: name,
    actor_id: actor?.id === undefined || actor.id === null ? null : textOf(actor.id),
    actor: actor === null ? null : jsonText(actor),
    database_name: textOrNull(database),
    table_name: textOrNull(table),
    num_rows: typeof rows === "number" ? rows : ROWS_OF_ONE.has(name) ? 1 : null,
    details: jsonText(details),
  };
}

/** Events about one row, which they do not count. */
const ROWS_OF_ONE: ReadonlySet<string> = new Set(["update-row", "delete-row"]);

const textOf = (id: unknown): string => (typeof id === "string" ? id : jsonText(id));

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);
