import { defineRoute, Forbidden, type Visit } from "rowhouse/plugin-api";
import { referableTables } from "rowhouse/plugin-api/access";
import { unlessInterrupted } from "rowhouse/plugin-api/errors";
import { okReply } from "../json/body.js";
import { canView, requireAlterable } from "../target/write-access.js";
import { onTable, requireTable } from "../target/write-route.js";
import { suggestedKeys, type SuggestedKey } from "./suggested-keys.js";
import { keysOf } from "./targets-view.js";

/** `GET /<database>/<table>/-/foreign-key-suggestions`: the foreign keys that the names of columns suggest. */
export const foreignKeySuggestionsRoute = defineRoute<"table">({
  name: "foreign-key-suggestions",
  path: "/:database/:resource/-/foreign-key-suggestions",
  target: "table",
  requires: onTable("alter-table"),
  async verify(context) {
    requireTable(context);
    // The reply names columns and tells about their values.
    if (!(await canView(context, context.target)))
      throw new Forbidden("Permission denied: need view-table to read suggestions of foreign keys");
  },
  async view(visit) {
    const { rowhouse, actor, target } = visit;
    const { database, table } = target;
    requireAlterable(target);
    const keys = keysOf(await referableTables(rowhouse, actor, database));
    const suggested = suggestedKeys(table, keys, database.dialect);
    const matches = await matchesOf(visit, suggested);
    const suggestions = suggested.map(({ column, target: key }, index) => ({
      column: column.name,
      fk_table: key.table.name,
      fk_column: key.column.name,
      matches: matches[index] ?? null,
    }));
    return okReply({ database: database.name, table: table.name, suggestions });
  },
});

/**
 * For each suggestion: whether all values of the column exist in the target; null for those that were not compared before
 * the time limit of one query.
 */
async function matchesOf(
  visit: Visit<"table">,
  suggested: readonly SuggestedKey[],
): Promise<readonly (boolean | null)[]> {
  const end = performance.now() + visit.rowhouse.setting("sql_time_limit_ms");
  const found: (boolean | null)[] = [];
  for (const one of suggested) found.push(await matchesBefore(end, visit, one));
  return found;
}

async function matchesBefore(
  end: number,
  { request: { signal }, target: { database, table } }: Visit<"table">,
  { column, target }: SuggestedKey,
): Promise<boolean | null> {
  const timeLimitMs = Math.floor(end - performance.now());
  if (timeLimitMs < 1) return null;
  const { dialect } = database;
  const [value, key] = [column.name, target.column.name].map(dialect.quoteIdentifier);
  // A foreign key is about the rows of a table itself, without those of tables that inherit from it.
  const [rows, keys] = [table, target.table].map(dialect.definitions.ownRows);
  const sql =
    `select 1 from ${rows} as child where child.${value} is not null and not exists ` +
    `(select 1 from ${keys} as parent where parent.${key} = child.${value})${dialect.limit(1)}`;
  const found = await unlessInterrupted(database.read(sql, {}, { timeLimitMs, signal }), signal);
  return found && found.rows.length === 0;
}
