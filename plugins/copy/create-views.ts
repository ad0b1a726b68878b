import { messageOf, type Database, type Schema, type Table } from "rowhouse/plugin-api";
import type { Dialect } from "rowhouse/plugin-api/engine";
import { isWord, meaningful, sqlTokens, unquote, type SqlToken } from "rowhouse/plugin-api/sql";
import { viewDifference } from "./compare-copy.js";
import { failureOf, triggerLoss, type CopyTarget } from "./copy-target.js";
import { withoutTextCasts } from "./portable-expression.js";

/** Makes the views of a schema. Those that the target refuses, or that return other rows than in the source, are losses. */
export async function createViews(target: CopyTarget, schema: Schema, from: Database): Promise<void> {
  const created: Table[] = [];
  for (const view of schema.tables.values())
    if (view.kind === "view" && (await createView(target, view))) created.push(view);
  for (const view of created) {
    const difference = await viewDifference({ ...target, from }, view);
    if (difference !== null) target.losses.push(difference);
  }
}

/** Makes a view from its definition. Returns true if the target understands it. */
async function createView({ dialect, transaction, losses }: CopyTarget, view: Table): Promise<boolean> {
  losses.push(...view.triggers.map((trigger) => `the view ${view.name}: ${triggerLoss(trigger)}`));
  const tokens = sqlTokens(view.sql ?? "");
  const as = meaningful(tokens).find((token) => isWord(token, "as"));
  const shown = withoutTextCasts(tokens.filter(({ start }) => as !== undefined && start > as.start));
  const obstacle = obstacleIn(shown, dialect);
  if (obstacle !== null) {
    losses.push(`the view ${view.name}: ${obstacle}`);
    return false;
  }
  const query = shown
    .map(({ kind, text }) => (kind === "name" ? dialect.quoteIdentifier(unquote(text)) : text))
    .join("");
  const { declaredName } = dialect.definitions;
  // Engines name expressions differently, and the names may be in the statement before the query.
  const columns = view.columns.map(({ name }) => declaredName(name)).join(", ");
  const create = `CREATE VIEW ${declaredName(view.name)} (${columns}) AS ${query}`;
  const failure = await failureOf(transaction.run(create));
  if (failure !== null) losses.push(`the view ${view.name}: ${messageOf(failure)}`);
  return failure === null;
}

/** Why the target can't have a view with this query; null if nothing is known against it. */
function obstacleIn(query: readonly SqlToken[], { definitions }: Dialect): string | null {
  // The target would read its system column.
  const reserved = query.find(
    ({ kind, text }) => isIdentifier(kind) && !definitions.acceptsColumnName(unquote(text).toLowerCase()),
  );
  if (reserved !== undefined) return `no column can be named ${reserved.text} in the target`;
  // SQLite would read `::date` as a parameter.
  const cast = query.find(({ text }, index) => text.startsWith(":") && query[index - 1]?.text === ":");
  return cast === undefined ? null : `it has :${cast.text}, which only the source understands`;
}

const isIdentifier = (kind: SqlToken["kind"]): boolean => kind === "word" || kind === "name";
