import { permissionChain, type Page, type RouteFor, type SqlValue, type Visit } from "rowhouse/plugin-api";
import { profileColumn, type ColumnProfile } from "./profile.js";

/** `{.:format}` at the end is all it takes to serve the profile as JSON, too. */
export const profileRoute: RouteFor<"table"> = {
  name: "profile",
  path: "/:database/:resource/-/profile{.:format}",
  target: "table",
  permissions: permissionChain,
  refusal: "You do not have permission to view this table",
  view: profileView,
};

async function profileView(visit: Visit<"table">): Promise<Page> {
  const { rowhouse, request, target } = visit;
  const { database, table, source: readable } = target;
  const limits = { timeLimitMs: rowhouse.setting("profile_time_limit_ms"), signal: request.signal };
  const { rows } = await database.read(`select count(*) from ${readable.sql}`, readable.params, limits);
  const count = Number(rows[0]?.[0] ?? 0);
  const columns: (ColumnProfile | null)[] = [];
  // One after the other: a wide table must not take every connection.
  for (const column of readable.table.columns) {
    columns.push(await profileColumn(database, readable, column, limits));
  }
  const known = columns.filter((column) => column !== null);
  return {
    name: "profile",
    data: { database: database.name, table: table.name, count, columns: known },
    context: {
      tableHref: rowhouse.urls.table(database.name, table.name),
      unknown: readable.table.columns.length - known.length,
      shown: known.map((column) => display(column, count)),
    },
  };
}

/** Texts and shares of a hundred, so that the template need not calculate. */
const display = (profile: ColumnProfile, count: number) => ({
  column: profile.column,
  filled: percentage(profile.filled, count),
  distinct: profile.distinct,
  range: profile.filled === 0 ? "" : `${text(profile.least)} … ${text(profile.most)}`,
  frequent: profile.frequent.map(({ value, count: rows }) => ({
    value: text(value),
    rows,
    share: percentage(rows, count),
  })),
});

const percentage = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((100 * part) / whole);

const LONGEST_TEXT = 40;

function text(value: SqlValue): string {
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  const whole = String(value);
  return whole.length > LONGEST_TEXT ? `${whole.slice(0, LONGEST_TEXT)}…` : whole;
}
