import { withQuery, type Database, type MetadataBlock, type Rowhouse, type Visit } from "rowhouse/plugin-api";
import { databaseColor } from "rowhouse/plugin-api/html";
import { queryPairs, textOfBytes, without, type Pair } from "rowhouse/plugin-api/http";
import { currentMetadata, pageMetadata } from "rowhouse/plugin-api/metadata";
import type { CannedQuery, QueryContext, StatementAdvice } from "rowhouse/plugin-api/contracts";
import { selectError } from "./only-select.js";
import type { Values } from "./parameters.js";

export interface ContextFacts {
  readonly kind: QueryContext["kind"];
  readonly database: Database;
  readonly canned: CannedQuery | null;
  readonly sql: string;
  readonly names: readonly string[];
  readonly values: Values;
  readonly allowExecuteSql: boolean;
  readonly error: string | null;
  readonly advice?: readonly StatementAdvice[];
}

type QueryVisit = Visit<"database"> | Visit<"query">;

/** What only HTML pages show: other formats have neither colours nor an editor, and to read this takes time. */
export interface EditorFacts {
  readonly hash: string | null;
  readonly tableColumns: QueryContext["tableColumns"];
}

export async function editorFacts(
  visit: QueryVisit,
  database: Database,
  allowExecuteSql: boolean,
): Promise<EditorFacts> {
  if (visit.format !== "html") return NO_EDITOR;
  const { hash } = await database.describe();
  return { hash, tableColumns: allowExecuteSql ? await tableColumns(visit, database) : new Map() };
}

const NO_EDITOR: EditorFacts = { hash: null, tableColumns: new Map() };

/** What the HTML page of a query shows in addition to the document. */
export function queryContext(visit: QueryVisit, facts: ContextFacts, editor: EditorFacts): QueryContext {
  const { rowhouse } = visit;
  const { database, canned, kind } = facts;
  const parameters = facts.names.map((name) => ({ name, value: fieldText(facts.values.get(name)) }));
  return {
    kind,
    metadata: metadataOf(rowhouse, database, canned),
    color: databaseColor(database.name, editor.hash),
    private: visit.private,
    queryName: canned?.name ?? null,
    sql: facts.sql,
    editable: canned === null,
    ...visibilityOfSql(visit, canned),
    parameters,
    action:
      canned === null
        ? rowhouse.urls.database(database.name)
        : rowhouse.urls.table(database.name, canned.name),
    method: kind === "write" ? "post" : "get",
    editHref: editHref(rowhouse, facts, parameters),
    immutable: !database.mutable,
    error: facts.error,
    advice: facts.advice ?? [],
    tableColumns: editor.tableColumns,
  };
}

function fieldText(value: unknown): string {
  if (value instanceof Uint8Array) return textOfBytes(value);
  return value === null || value === undefined ? "" : String(value);
}

/** Custom SQL has the metadata of its database, a canned query only its own, with the formats of its numbers. */
function metadataOf(rowhouse: Rowhouse, database: Database, canned: CannedQuery | null): MetadataBlock {
  if (canned !== null) {
    const { number_formats = null } = canned;
    return { ...pageMetadata(canned), ...(number_formats !== null && { number_formats }) };
  }
  const metadata = currentMetadata(rowhouse);
  return pageMetadata(metadata.database(database.name), metadata.document);
}

/** Whether the SQL is shown, and the link that toggles it. A query with `hide_sql` is hidden by default. */
function visibilityOfSql(
  { rowhouse, request }: QueryVisit,
  canned: CannedQuery | null,
): Pick<QueryContext, "hideSql" | "toggle" | "hiddenFields"> {
  const hiddenByDefault = canned !== null && Boolean(canned["hide_sql"]);
  const argument = hiddenByDefault ? "_show_sql" : "_hide_sql";
  const isGiven = (request.query.get(argument) ?? "") !== "";
  const hideSql = isGiven !== hiddenByDefault;
  const rest = without(queryPairs(request), argument);
  const pairs: Pair[] = isGiven ? rest : [...rest, [argument, "1"]];
  return {
    hideSql,
    toggle: {
      href: rowhouse.urls.path(withQuery(request.path, pairs)),
      label: hideSql ? "show" : "hide",
    },
    hiddenFields: isGiven ? [[argument, "1"]] : [],
  };
}

function editHref(
  { urls }: Rowhouse,
  { database, canned, sql, allowExecuteSql }: ContextFacts,
  parameters: QueryContext["parameters"],
): string | null {
  // Custom SQL has no magic parameters.
  const isOffered =
    canned !== null && allowExecuteSql && selectError(database.dialect, sql) === null && !/[:@$]_/.test(sql);
  if (!isOffered) return null;
  const pairs: Pair[] = parameters.map(({ name, value }) => [name, value]);
  return withQuery(urls.database(database.name), [["sql", sql], ...pairs]);
}

/** Columns by table, for completion in the editor. With `confine_sql`, only tables that the actor may view. */
async function tableColumns(
  { rowhouse, actor }: QueryVisit,
  database: Database,
): Promise<QueryContext["tableColumns"]> {
  const tables = [...(await database.schema()).tables.values()];
  const names = tables.map(({ name }) => name);
  const rowAccess = rowhouse.service("rowAccess");
  const viewable = rowhouse.setting("confine_sql") ? await rowAccess.viewable(actor, database, names) : null;
  const named = tables.filter(({ name }) => viewable?.has(name) ?? true);
  const shown = await rowAccess.describable(actor, database, named);
  return new Map(shown.map(({ table }) => [table.name, table.columns.map((column) => column.name)]));
}
