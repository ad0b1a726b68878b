import { BadRequest, type Database, type Request, type SqlInput } from "rowhouse/plugin-api";

/** The filter and page of a request. */
export interface Question {
  /** Column and the value it must have. */
  readonly where: readonly (readonly [column: string, value: string])[];
  /** The earliest and the latest time, as text of the form of `created`. */
  readonly since: string | null;
  readonly until: string | null;
  /** Text that the details contain. */
  readonly text: string | null;
  /** Only entries older than the one of this id. */
  readonly before: number | null;
  readonly size: number;
}

/** An entry as it is shown. */
export interface Entry {
  readonly id: number;
  readonly created: string;
  readonly event: string;
  /** JSON text. */
  readonly actor: string | null;
  readonly database: string | null;
  readonly table: string | null;
  readonly num_rows: number | null;
  /** JSON text of an object. */
  readonly details: string;
}

/** The columns of the filter arguments. */
export const FILTERS: Readonly<Record<string, string>> = {
  event: "event",
  actor: "actor_id",
  database: "database_name",
  table: "table_name",
};

const PAGE_SIZE = 100;
const LARGEST_PAGE = 1000;

/** The other arguments that narrow the log. */
export const RANGE = ["since", "until", "q"] as const;

/**
 * Reads `?event=`, `?actor=`, `?database=`, `?table=`, `?since=`, `?until=`, `?q=`, `_size` and `_next`.
 *
 * @throws BadRequest
 */
export function readQuestion({ query }: Request): Question {
  const where = Object.entries(FILTERS).flatMap(([name, column]) => {
    const value = query.get(name);
    return value === null || value === "" ? [] : [[column, value] as const];
  });
  const size = wholeNumber("_size", query.get("_size")) ?? PAGE_SIZE;
  if (size < 1 || size > LARGEST_PAGE) throw new BadRequest(`_size must be from 1 to ${LARGEST_PAGE}`);
  return {
    where,
    since: moment(query, "since", "0000-01-01T00:00:00.000Z"),
    until: moment(query, "until", "9999-12-31T23:59:59.999Z"),
    text: query.get("q") || null,
    before: wholeNumber("_next", query.get("_next")),
    size,
  };
}

const DAY = "2026-01-31";

/** The first or last moment of a day, minute or second: what the text leaves out is as in `extreme`. */
function moment(query: Request["query"], name: string, extreme: string): string | null {
  const text = query.get(name);
  if (text === null || text === "") return null;
  if (
    /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z?)?$/.test(text) &&
    !Number.isNaN(Date.parse(text))
  ) {
    const given = text.replace("Z", "");
    return given + extreme.slice(given.length);
  }
  throw new BadRequest(`${name} must be a day or a time, such as ${DAY} or ${DAY}T12:00:00Z`);
}

function wholeNumber(name: string, text: string | null): number | null {
  if (text === null || text === "") return null;
  if (!/^\d{1,15}$/.test(text)) throw new BadRequest(`${name} must be a whole number`);
  return Number(text);
}

/** The entries of a page, and one more if there is a next page. */
export async function readEntries(database: Database, question: Question): Promise<readonly Entry[]> {
  const { where, since, until, text, before, size } = question;
  const conditions = where.map(([column]) => `${column} = ?`);
  const params: SqlInput[] = where.map(([, value]) => value);
  const also = (condition: string, value: SqlInput | null): void => {
    if (value === null) return;
    conditions.push(condition);
    params.push(value);
  };
  also("created >= ?", since);
  also("created <= ?", until);
  also("instr(lower(details), lower(?)) > 0", text);
  also("id < ?", before);
  const { rows } = await database.read(
    "select id, created, event, actor, database_name, table_name, num_rows, details from audit_log" +
      `${conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`} order by id desc limit ?`,
    [...params, size + 1],
  );
  return rows.map(([id, created, event, actor, database, table, count, details]) => ({
    id: Number(id),
    created: String(created),
    event: String(event),
    actor: textOrNull(actor),
    database: textOrNull(database),
    table: textOrNull(table),
    num_rows: count === null || count === undefined ? null : Number(count),
    details: String(details),
  }));
}

/** The values of a column of the log, for a menu. */
export async function readValues(database: Database, column: string): Promise<readonly string[]> {
  const { rows } = await database.read(
    `select distinct ${column} from audit_log where ${column} is not null order by 1 limit ${MOST_VALUES}`,
  );
  return rows.map(([value]) => String(value));
}

const MOST_VALUES = 200;

/** Null for values that are no text. */
export const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);
