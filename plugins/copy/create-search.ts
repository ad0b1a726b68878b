import { messageOf, type Schema, type Table } from "rowhouse/plugin-api";
import type { SearchDefinitions } from "rowhouse/plugin-api/engine";
import { failureOf, type CopyTarget } from "./copy-target.js";
import { targetNames } from "./target-names.js";

/** True for a full-text index of its own that is found with the table whose text it has. */
export const isSearchOfTable = ({ tables }: Schema, { name, fullText }: Table): boolean => {
  const content = tables.get(fullText?.contentTable ?? "");
  return content?.kind === "table" && content.fullText?.table === name;
};

/** Makes the search of a table, if it has one. What the target can't do is a loss. */
export async function createSearch(
  { source, dialect, transaction, losses }: CopyTarget,
  schema: Schema,
  { name, fullText }: Table,
): Promise<void> {
  if (fullText === null || fullText.contentTable !== name) return;
  const columns = searchColumns(schema, fullText);
  if (columns.length === 0) {
    losses.push(`${name}: the search of the column ${fullText.vector}, whose source is not known`);
    return;
  }
  const created = (await transaction.schema()).tables.get(name);
  if (created === undefined) return;
  const names = targetNames(dialect.definitions, schema.tables.get(name));
  const renamed = columns.map((column) => names.get(column) ?? column);
  const [from, to] = [source.definitions.search, dialect.definitions.search];
  const { configuration = from.tokenizers[0] ?? "" } = fullText;
  const tokenizer = from === to ? configuration : tokenizerFor(configuration, from, to);
  const isSame = from === to || configuration === from.forms.plain || configuration === from.forms.english;
  if (!isSame) losses.push(`${name}: the search finds words by ${tokenizer}, not by ${configuration}`);
  for (const sql of to.create(created, renamed, tokenizer)) {
    const failure = await failureOf(transaction.run(sql));
    if (failure === null) continue;
    losses.push(`${name}: the search: ${messageOf(failure)}`);
    return;
  }
}

/** `porter unicode61` finds forms of English words, whatever follows `porter`. */
const tokenizerFor = (configuration: string, from: SearchDefinitions, to: SearchDefinitions): string =>
  configuration.split(" ")[0] === from.forms.english ? to.forms.english : to.forms.plain;

function searchColumns(
  { tables }: Schema,
  { table, columns }: NonNullable<Table["fullText"]>,
): readonly string[] {
  if (columns !== undefined) return columns;
  const own = tables.get(table)?.columns ?? [];
  return own.filter(({ hidden }) => !hidden).map(({ name }) => name);
}
