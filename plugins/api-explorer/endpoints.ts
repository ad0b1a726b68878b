import type { Actor, Rowhouse, Table, Visit } from "rowhouse/plugin-api";
import { acceptsWrites, keyColumns } from "rowhouse/plugin-api/engine";
import type { Listing } from "rowhouse/plugin-api/contracts";
import { createExample, rowExample } from "./example-bodies.js";
import { tOf, type T } from "./texts.js";

/** An example request. */
export interface Endpoint {
  readonly label: string;
  readonly method: "GET" | "POST";
  /** Begins with `/` and includes the base URL. The user replaces `{id}`. */
  readonly path: string;
  /** Indented JSON; null for GET. */
  readonly json: string | null;
}

export interface TableEndpoints {
  readonly name: string;
  readonly isView: boolean;
  readonly endpoints: readonly Endpoint[];
}

export interface DatabaseEndpoints {
  readonly name: string;
  readonly endpoints: readonly Endpoint[];
  readonly tables: readonly TableEndpoints[];
  /** The number of tables that were left out to keep the page small. */
  readonly more: number;
}

const MOST_TABLES = 100;
const TABLE_ACTIONS = ["insert-row", "update-row", "delete-row", "drop-table"] as const;
type TableAction = (typeof TABLE_ACTIONS)[number];

/** Example requests for each database and table that the actor may view. */
export async function endpointsFor(visit: Visit): Promise<readonly DatabaseEndpoints[]> {
  const listings = (await visit.rowhouse.serviceIfAny("browse")?.listings(visit.actor)) ?? [];
  return Promise.all(listings.map((listing) => databaseEndpoints(visit, listing)));
}

async function databaseEndpoints(visit: Visit, { database, tables }: Listing): Promise<DatabaseEndpoints> {
  const { rowhouse, actor } = visit;
  const t = tOf(visit);
  const { name, mutable } = database;
  const shown = tables.slice(0, MOST_TABLES).map(({ table }) => table);
  const mayCreate = mutable && (await rowhouse.permissions.allowed(actor, "create-table", name));
  const mayWrite = mutable ? await writeActions(rowhouse, actor, { database: name, tables: shown }) : [];
  const create = post(t("api.create_table"), `${rowhouse.urls.database(name)}/-/create`, createExample);
  return {
    name,
    endpoints: [
      get(t("api.get_database"), rowhouse.urls.database(name, "json")),
      ...(mayCreate ? [create] : []),
    ],
    tables: shown.map((table, index) => ({
      name: table.name,
      isView: table.kind === "view",
      endpoints: tableEndpoints(t, rowhouse.urls.table(name, table.name), table, mayWrite[index] ?? NOTHING),
    })),
    more: tables.length - shown.length,
  };
}

const NOTHING: ReadonlySet<TableAction> = new Set();

/** The actions that are allowed on each of these tables, in their order. */
async function writeActions(
  rowhouse: Rowhouse,
  actor: Actor | null,
  { database, tables }: { readonly database: string; readonly tables: readonly Table[] },
): Promise<readonly ReadonlySet<TableAction>[]> {
  const resources = tables.map(({ name }): [string, string] => [database, name]);
  const answers = await Promise.all(
    TABLE_ACTIONS.map((action) =>
      rowhouse.permissions.visible(
        actor,
        resources.map((resource) => [[action, resource]]),
      ),
    ),
  );
  return tables.map(
    (_table, index) => new Set(TABLE_ACTIONS.filter((_action, which) => answers[which]?.[index] === true)),
  );
}

function tableEndpoints(t: T, path: string, table: Table, may: ReadonlySet<TableAction>): Endpoint[] {
  const read = get(t("api.get_rows"), `${path}.json`);
  if (!acceptsWrites(table)) return [read];
  const byKey = keyColumns(table).length > 0 ? keyEndpoints(t, path, table) : [];
  const choices: readonly Choice[] = [
    [["insert-row"], post(t("api.insert"), `${path}/-/insert`, { rows: [rowExample(table, "new")] })],
    ...byKey,
    [["drop-table"], post(t("api.drop"), `${path}/-/drop`, { confirm: false })],
  ];
  const allowed = choices.filter(([needs]) => needs.every((action) => may.has(action)));
  return [read, ...allowed.map(([, endpoint]) => endpoint)];
}

/** An endpoint, and what it needs. */
type Choice = readonly [needs: readonly TableAction[], endpoint: Endpoint];

/** What changes rows that are found by their key. */
function keyEndpoints(t: T, path: string, table: Table): readonly Choice[] {
  const row = `${path}/${rowPlaceholder(table)}/-`;
  return [
    [
      ["insert-row", "update-row"],
      post(t("api.upsert"), `${path}/-/upsert`, { rows: [rowExample(table, "known")] }),
    ],
    [
      ["update-row"],
      post(t("api.update"), `${row}/update`, { update: rowExample(table, "change"), return: true }),
    ],
    [["delete-row"], post(t("api.delete"), `${row}/delete`, {})],
  ];
}

const get = (label: string, path: string): Endpoint => ({ label, method: "GET", path, json: null });

const post = (label: string, path: string, body: unknown): Endpoint => ({
  label,
  method: "POST",
  path,
  json: indented(body),
});

const rowPlaceholder = ({ primaryKeys }: Table): string =>
  primaryKeys.length === 0
    ? "{rowid}"
    : primaryKeys.map((key) => `{${key.replace(/[^\w-]/g, "")}}`).join(",");

const indented = (value: unknown): string => JSON.stringify(value, null, 2);
