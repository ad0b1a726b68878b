import type { Dialect } from "rowhouse/plugin-api/engine";
import type { Table, Transaction } from "rowhouse/plugin-api";
import { meaningful, sqlTokens, unquote, type SqlToken } from "rowhouse/plugin-api/sql";
import { errorText, type CopyTarget } from "./copy-target.js";

/** Makes the search of a table. @param columns the indexed columns */
export async function createSearch(
  dialect: Dialect,
  transaction: Transaction,
  name: string,
  columns: readonly string[],
): Promise<void> {
  const table = (await transaction.schema()).tables.get(name);
  const { search } = dialect.definitions;
  if (table === undefined || columns.length === 0) return;
  for (const sql of search.create(table, columns, search.tokenizers[0] ?? "")) await transaction.run(sql);
}

/** Makes a view from its definition, if the target understands it. */
export async function createView({ dialect, transaction, losses }: CopyTarget, view: Table): Promise<void> {
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
