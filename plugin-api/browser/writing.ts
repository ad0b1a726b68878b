import { pageTable } from "./places.js";

/** An operation of a batch, on the table of the page unless it names another. */
export interface RowOperation {
  readonly op: "insert" | "update" | "delete" | "upsert";
  readonly table?: string;
  readonly key?: readonly string[];
  /** The version that the row must have. */
  readonly if_match?: string;
  readonly update?: Readonly<Record<string, unknown>>;
  readonly row?: Readonly<Record<string, unknown>>;
}

/** A finished write. */
export interface Written {
  /** The operations that undo it, for `writeRows`; null if it cannot be undone. */
  readonly undo: string | null;
}

/** A write that was refused. Nothing was written. */
export class WriteRefused extends Error {
  constructor(
    readonly status: number,
    readonly errors: readonly string[],
  ) {
    super(errors.join(" "));
  }
}

/**
 * Runs operations in one transaction, with the permissions of the visitor: all or none. BigInts are exact.
 *
 * @example
 * const { undo } = await writeRows([{ op: "update", key: ["7"], update: { price: 9.5 } }]);
 * if (undo !== null) await writeRows(undo);
 * @param operations or the `undo` of an earlier write
 * @throws WriteRefused with status 412 if a row does not have the given version
 */
export const writeRows = (operations: readonly RowOperation[] | string): Promise<Written> =>
  send(operations, "commit");

/** Finds out whether operations would succeed, without writing. @throws WriteRefused */
export const tryRows = (operations: readonly RowOperation[]): Promise<Written> => send(operations, "dry run");

async function send(
  operations: readonly RowOperation[] | string,
  end: "commit" | "dry run",
): Promise<Written> {
  const place = pageTable();
  const list =
    typeof operations === "string"
      ? operations
      : jsonOf(operations.map((operation) => ({ table: place?.name, ...operation })));
  const response = await fetch(`${place?.databaseUrl ?? ""}/-/batch`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: `{"operations": ${list}, "undo": true, "dry_run": ${end === "dry run"}}`,
  });
  const reply = (await response.json().catch(() => ({}))) as {
    readonly undo?: string | null;
    readonly errors?: readonly string[];
    readonly error?: string;
  };
  if (response.ok) return { undo: reply.undo ?? null };
  throw new WriteRefused(response.status, reply.errors ?? [reply.error ?? response.statusText]);
}

/** JSON with all digits of BigInts. */
function jsonOf(value: unknown): string {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${jsonOf(member)}`).join(",")}}`;
}
