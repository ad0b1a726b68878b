import {
  permissionChain,
  visibleItems,
  withQuery,
  type Database,
  type Rowhouse,
  type Visit,
} from "rowhouse/plugin-api";
import { databaseColor } from "rowhouse/plugin-api/html";
import { currentMetadata, pageMetadata } from "rowhouse/plugin-api/metadata";
import { attachedDatabases } from "rowhouse/plugin-api/sql";
import type { DatabaseContext, ListedTable, QueryLink } from "rowhouse/plugin-api/contracts";
import type { VisibleQuery } from "./contents.js";

interface Facts {
  readonly tables: readonly ListedTable[];
  readonly queries: readonly VisibleQuery[];
  readonly hash: string | null;
  readonly sizeBytes: number;
  readonly editorColumns: DatabaseContext["editorColumns"];
}

/** What the HTML page of a database shows in addition to the document. */
export async function databaseContext(visit: Visit<"database">, facts: Facts): Promise<DatabaseContext> {
  const { rowhouse, request, target } = visit;
  const { database } = target;
  const metadata = currentMetadata(rowhouse);
  return {
    metadata: pageMetadata(metadata.database(database.name), metadata.document),
    color: databaseColor(database.name, facts.hash),
    showHidden: (request.query.get("_show_hidden") ?? "") !== "",
    editorSql: firstStatement(database, facts.tables),
    editorColumns: facts.editorColumns,
    queries: facts.queries.map((one) => queryLink(rowhouse, database, one)),
    attached: await attachedLinks(visit, database),
    download: await download(visit, facts.sizeBytes),
    immutable: !database.mutable,
  };
}

function firstStatement({ dialect }: Database, tables: readonly ListedTable[]): string {
  const [first] = tables;
  if (first === undefined || first.hidden) return dialect.versionStatement;
  return `select * from ${dialect.publishedIdentifier(first.name)}`;
}

function queryLink(rowhouse: Rowhouse, database: Database, one: VisibleQuery): QueryLink {
  const { name, sql, title, description, fragment } = one.query;
  const href = rowhouse.urls.table(database.name, name);
  return {
    name,
    title: textOrNull(title),
    description: textOrNull(description),
    sql,
    href: textOrNull(fragment) === null ? href : `${href}#${String(fragment)}`,
    private: one.private,
  };
}

const textOrNull = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value : null;

/** The databases attached with `--crossdb` that the actor may view. */
async function attachedLinks(
  { rowhouse, actor }: Visit<"database">,
  database: Database,
): Promise<DatabaseContext["attached"]> {
  const attached = attachedDatabases(rowhouse, database);
  const visible = await visibleItems(rowhouse.permissions, actor, attached, ({ name }) =>
    permissionChain({ database: name }),
  );
  return visible.map(({ name }) => {
    const sql = database.dialect.tablesOfAttached(name);
    return { name, href: withQuery(rowhouse.urls.database(database.name), [["sql", sql]]) };
  });
}

/** A file that may change is copied for each download, so no page links to it. */
async function download(
  { rowhouse, actor, target }: Visit<"database">,
  sizeBytes: number,
): Promise<DatabaseContext["download"]> {
  const { name, mutable } = target.database;
  if (mutable) return null;
  const isOffered = await rowhouse.serviceIfAny("downloads")?.mayDownload(actor, target.database);
  return isOffered === true
    ? { href: rowhouse.urls.database(name, "db"), fileName: `${name}.db`, sizeBytes }
    : null;
}
