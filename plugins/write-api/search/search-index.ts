import { WriteRejected, type Schema, type Table, type Transaction } from "rowhouse/plugin-api";
import type { Dialect } from "rowhouse/plugin-api/engine";
import { Arguments } from "../json/arguments.js";
import { objectBody, okReply } from "../json/body.js";
import { searchIndex } from "../alter/operations.js";
import { eventFacts, runTransaction } from "../operation.js";
import { columnNamed } from "../rows/column-named.js";
import { isHiddenIndex } from "../target/write-access.js";
import { definitionRoute } from "../target/write-route.js";

/** `POST /<database>/<table>/-/enable-search`. */
export const enableSearchRoute = definitionRoute("enable-search", "enable-search", async (visit) => {
  const { rowhouse, target } = visit;
  const { database, table, schema } = target;
  const body = new Arguments(await objectBody(visit, "JSON must be a dictionary"));
  const replaces = body.allowOnly("columns", "tokenize", "replace").flag("replace") === true;
  const options = parseSearchIndexOptions(body, database.dialect, table);
  const { columns } = options;
  const before = searchIndex(table);
  if (before !== null && (await isHiddenIndex(visit, target, before)))
    throw new WriteRejected([`Search cannot be enabled for ${table.name}`]);
  return async () => {
    await runTransaction(visit, { database, table: table.name, schema }, async (transaction) => {
      if (replaces && before !== null) await dropSearchIndex(database.dialect, transaction, table);
      const changed = await transaction.schema();
      const current = changed.tables.get(table.name) ?? table;
      requireSearchable(database.dialect, current, changed);
      await createSearchIndex(database.dialect, transaction, current, options);
    });
    await rowhouse
      .serviceIfAny("events")
      ?.track({ name: "enable-search", ...eventFacts(visit, target), columns });
    const index = database.dialect.definitions.search.tableName(table.name);
    return okReply({ database: database.name, table: table.name, fts_table: index, columns }, 201);
  };
});

function parseSearchIndexOptions(
  body: Arguments,
  { definitions }: Dialect,
  table: Table,
): SearchIndexOptions {
  const columns = body.names("columns").map((name) => columnNamed(table, name).name);
  if (columns.length === 0) throw new WriteRejected(['"columns" must not be empty']);
  const { tokenizers } = definitions.search;
  const requested = body.has("tokenize") ? body.get("tokenize") : tokenizers[0];
  const tokenizer = tokenizers.find((one) => one === requested);
  if (tokenizer === undefined)
    throw new WriteRejected([`"tokenize" must be one of ${tokenizers.join(", ")}`]);
  return { columns, tokenizer };
}

/** `POST /<database>/<table>/-/disable-search`. */
export const disableSearchRoute = definitionRoute("disable-search", "disable-search", async (visit) => {
  const { rowhouse, target } = visit;
  const { database, table, schema } = target;
  const index = searchIndex(table);
  if (index === null || (await isHiddenIndex(visit, target, index)))
    throw new WriteRejected([`Search is not enabled for ${table.name}`]);
  return async () => {
    await runTransaction(visit, { database, table: table.name, schema }, (transaction) =>
      dropSearchIndex(database.dialect, transaction, table),
    );
    await rowhouse.serviceIfAny("events")?.track({ name: "disable-search", ...eventFacts(visit, target) });
    return okReply();
  };
});

/** Options of a full-text index. */
export interface SearchIndexOptions {
  readonly columns: readonly string[];
  readonly tokenizer: string;
}

/** Creates a full-text index over a table that is kept up to date. @throws SqlFailed */
async function createSearchIndex(
  { definitions }: Dialect,
  transaction: Transaction,
  table: Table,
  { columns, tokenizer }: SearchIndexOptions,
): Promise<void> {
  for (const sql of definitions.search.create(table, columns, tokenizer)) await transaction.run(sql);
}

/** Drops the full-text index of a table. */
async function dropSearchIndex(
  { definitions }: Dialect,
  transaction: Transaction,
  table: Table,
): Promise<void> {
  for (const sql of definitions.search.drop(table)) await transaction.run(sql);
}

/** @throws WriteRejected if the table cannot be indexed, or already is */
function requireSearchable({ definitions }: Dialect, table: Table, schema: Schema): void {
  const refusal = definitions.search.refusal(table, schema);
  if (refusal !== null) throw new WriteRejected([refusal]);
}
