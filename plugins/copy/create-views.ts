import type { Table } from "rowhouse/plugin-api";
import { meaningful, sqlTokens, unquote, type SqlToken } from "rowhouse/plugin-api/sql";
import { errorText, triggerLoss, type CopyTarget } from "./copy-target.js";

/** Makes a view from its definition, if the target understands it. */
export async function createView({ dialect, transaction, losses }: CopyTarget, view: Table): Promise<void> {
  losses.push(...view.triggers.map((trigger) => `the view ${view.name}: ${triggerLoss(trigger)}`));
  const tokens = sqlTokens(view.sql ?? "");
  // The target would read its system column.
  const reserved = tokens.find(
    ({ kind, text }) =>
      isIdentifier(kind) && !dialect.definitions.acceptsColumnName(unquote(text).toLowerCase()),
  );
  if (reserved !== undefined) {
    losses.push(`the view ${view.name}: no column can be named ${reserved.text} in the target`);
    return;
  }
  const as = meaningful(tokens).find(({ kind, text }) => kind === "word" && text.toLowerCase() === "as");
  const query = tokens
    .filter(({ start }) => as !== undefined && start > as.start)
    .map(({ kind, text }) => (kind === "name" ? dialect.quoteIdentifier(unquote(text)) : text))
    .join("");
  await transaction
    .run(`CREATE VIEW ${dialect.definitions.declaredName(view.name)} AS ${query}`)
    .catch((error: unknown) => losses.push(`the view ${view.name}: ${errorText(error)}`));
}

const isIdentifier = (kind: SqlToken["kind"]): boolean => kind === "word" || kind === "name";
