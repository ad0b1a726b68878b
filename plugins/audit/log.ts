import { jsonText, messageOf, type Database, type Rowhouse, type SqlValue } from "rowhouse/plugin-api";
import type { TrackedEvent } from "rowhouse/plugin-api/contracts";
import { Refusals } from "./refusals.js";
import { readEntries, readValues, textOrNull, type Entry, type Question } from "./entries.js";

const TABLE = `create table if not exists audit_log (
  id integer primary key,
  created text not null,
  event text not null,
  actor_id text,
  actor text,
  database_name text,
  table_name text,
  num_rows integer,
  details text not null
)`;

const COLUMNS = [
  "created",
  "event",
  "actor_id",
  "actor",
  "database_name",
  "table_name",
  "num_rows",
  "details",
] as const;

const INSERT = `insert into audit_log (${COLUMNS.join(", ")}) values (${COLUMNS.map((name) => `:${name}`).join(", ")})`;

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** The table in the internal database. */
export class AuditLog {
  readonly #refusals = new Refusals({
    insert: (refusal) => this.#insert(refusal),
    recount: (id, refusal, times) => this.#recount(id, { ...refusal, times }),
  });
  #prunedAt = 0;

  constructor(private readonly rowhouse: Rowhouse) {}

  /** Creates the table if it does not exist, and deletes old entries. */
  async open(): Promise<void> {
    await this.#database.write(async (transaction) => {
      await transaction.run(TABLE);
      await transaction.run("create index if not exists audit_log_created on audit_log (created)");
    });
    await this.#prune(new Date());
  }

  /**
   * Resolves when the event is on disk. Refused tokens with the same reason are one entry per minute, whose number is
   * written after the minute or by `flush`. An event that can't be written is a line in the log of the server: each one,
   * so that it shows which changes have no entry.
   */
  async add(event: TrackedEvent): Promise<void> {
    try {
      await (event.name === "refuse-token" ? this.#refusals.add(event) : this.#insert(event));
    } catch (error) {
      this.rowhouse.log.error(`The log of changes has no entry for ${summaryOf(event)}: ${messageOf(error)}`);
      return;
    }
    // Later or earlier: the clock may have been set back.
    if (Math.abs(event.created.getTime() - this.#prunedAt) > HOUR_MS) await this.#prune(event.created);
  }

  flush(): Promise<void> {
    return this.#refusals.flush();
  }

  async #insert(event: TrackedEvent): Promise<number | bigint> {
    const entry: Readonly<Record<string, SqlValue>> = { ...entryOf(event) };
    const done = await this.#database.write((transaction) => transaction.run(INSERT, entry));
    return done.lastInsertRowid;
  }

  async #recount(id: number | bigint, event: TrackedEvent & { readonly times: number }): Promise<void> {
    const { details } = entryOf(event);
    await this.#database.write((transaction) =>
      transaction.run("update audit_log set details = ? where id = ?", [details, id]),
    );
  }

  /** Entries, newest first. */
  entries(question: Question): Promise<readonly Entry[]> {
    return readEntries(this.#database, question);
  }

  /** The values of a filter in the log. */
  values(column: string): Promise<readonly string[]> {
    return readValues(this.#database, column);
  }

  get #database(): Database {
    return this.rowhouse.database("_internal");
  }

  async #prune(now: Date): Promise<void> {
    this.#prunedAt = now.getTime();
    const days = this.rowhouse.setting("audit_retention_days");
    if (days === 0) return;
    const oldest = new Date(now.getTime() - days * DAY_MS).toISOString();
    try {
      await this.#database.write((transaction) =>
        transaction.run("delete from audit_log where created < ?", [oldest]),
      );
    } catch (error) {
      // On a full disk the server must start, and changes must be acknowledged.
      this.rowhouse.log.error(`Old entries of the log of changes could not be deleted: ${messageOf(error)}`);
    }
  }
}

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
  /** The other fields of the event as a JSON object. */
  readonly details: string;
}

/** The entry of an event. Fields without a column are in `details`. */
function entryOf(event: TrackedEvent): NewEntry {
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

/** `insert-rows on library/books (2 rows, actor ann)` */
function summaryOf(event: TrackedEvent): string {
  const { database_name: database, table_name: table, num_rows: rows, actor_id: actor } = entryOf(event);
  const place = [database, table].filter((name) => name !== null).join("/");
  const count = rows === null ? [] : [rows === 1 ? "1 row" : `${rows} rows`];
  const facts = [...count, actor === null ? "anonymous" : `actor ${actor}`];
  return `${event.name}${place === "" ? "" : ` on ${place}`} (${facts.join(", ")})`;
}

/** Events about one row, which have no `num_rows`. */
const ROWS_OF_ONE: ReadonlySet<string> = new Set(["update-row", "delete-row"]);

const textOf = (id: unknown): string => (typeof id === "string" ? id : jsonText(id));
