import { publishedIdentifier, quoteIdentifier } from "rowhouse/plugin-api";
import type { Actor, Database, ReadScope, Rowhouse, SqlInput, Table } from "rowhouse/plugin-api";

/** A table as one actor may read it. */
export interface Readable {
  /** Without the columns that are hidden from the actor. */
  readonly table: Table;
  /** What stands after `from` when a statement runs. */
  readonly source: string;
  readonly params: Readonly<Record<string, SqlInput>>;
}

/** The table narrowed by everybody's `read_scope`; the table itself when nobody narrows anything. */
export async function readable(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: Database,
  table: Table,
): Promise<Readable> {
  const hook = rowhouse.hooks.read_scope;
  const scopes = hook.isUsed() ? await hook.promise([], rowhouse, { actor, database, table }) : [];
  if (scopes.length === 0) return { table, source: publishedIdentifier(table.name), params: {} };
  return narrowed(table, scopes);
}

function narrowed(table: Table, scopes: readonly ReadScope[]): Readable {
  const hidden = new Set(scopes.flatMap(({ hiddenColumns }) => hiddenColumns ?? []));
  const columns = table.columns.filter(({ name }) => !hidden.has(name));
  const conditions = scopes.flatMap(({ where, params }, index) =>
    where === undefined ? [] : [renamed(where, params ?? {}, `scope${index}_`)],
  );
  const rowid = table.rowidName === null ? [] : [table.rowidName];
  const selected = [...rowid, ...columns.map(({ name }) => quoteIdentifier(name))].join(", ");
  const where =
    conditions.length === 0 ? "" : ` where ${conditions.map((one) => `(${one.where})`).join(" and ")}`;
  return {
    table: hidden.size === 0 ? table : withoutColumns(table, columns, hidden),
    source: `(select ${selected} from ${quoteIdentifier(table.name)}${where}) as ${quoteIdentifier(table.name)}`,
    params: Object.assign({}, ...conditions.map(({ params }) => params)) as Readable["params"],
  };
}

/** Nothing that names a hidden column is left: keys that use one are gone as well. */
function withoutColumns(table: Table, columns: Table["columns"], hidden: ReadonlySet<string>): Table {
  const visible = (names: readonly string[]): boolean => names.every((name) => !hidden.has(name));
  return {
    ...table,
    sql: null,
    columns,
    foreignKeys: table.foreignKeys.filter((key) => visible(key.columns)),
    incoming: table.incoming.filter((key) => visible(key.columns)),
    indexes: [],
    triggers: [],
  };
}

/** Scope parameters get a prefix of their own, so that no argument of a request meets them. */
function renamed(where: string, params: Readonly<Record<string, SqlInput>>, prefix: string) {
  const names = new Set(Object.keys(params));
  return {
    where: where.replace(/:([A-Za-z_]\w*)/g, (text, name: string) =>
      names.has(name) ? `:${prefix}${name}` : text,
    ),
    params: Object.fromEntries(Object.entries(params).map(([name, value]) => [prefix + name, value])),
  };
}
