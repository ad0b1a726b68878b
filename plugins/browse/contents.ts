import { wholeTable } from "rowhouse/plugin-api";
import type {
  Actor,
  Chain,
  Database,
  ListedTable,
  ListedView,
  ReadableTable,
  Resource,
  Rowhouse,
  Schema,
  Table,
} from "rowhouse/plugin-api";

/** The tables and views of a database that somebody may view; tables and views in catalogue order. */
export interface Contents {
  readonly schema: Schema;
  readonly tables: readonly Visible[];
  readonly views: readonly ListedView[];
  /** Both by name, as the visitor may know them. */
  readonly shown: ReadonlyMap<string, Table>;
}

export interface Visible {
  /** Without columns that are hidden from the visitor. */
  readonly table: Table;
  readonly readable: ReadableTable;
  readonly hidden: boolean;
  readonly private: boolean;
}

/**
 * Asks about every table and view in one pass.
 *
 * @param above what is asked after `view-table` where nobody has an opinion on the table itself
 */
export async function visibleContents(
  rowhouse: Rowhouse,
  {
    actor,
    database,
    above,
  }: { readonly actor: Actor | null; readonly database: Database; readonly above: Chain },
): Promise<Contents> {
  const schema = await database.schema();
  const all = [...schema.tables.values()];
  const chains = chainsOf(schema, database, above);
  const answers = await rowhouse.visibilityMany(actor, chains);
  const viewable = all.filter((_, index) => answers[index]?.visible === true);
  const privacy = answers.filter(({ visible }) => visible);
  const tables = rowhouse.serviceIfAny("tables");
  const shown = (await tables?.shown(actor, database, viewable)) ?? viewable.map(wholeTable);
  const contents = { tables: [] as Visible[], views: [] as ListedView[] };
  const byName = new Map<string, Table>();
  // One pass: the list of databases goes through thousands of tables.
  for (const [index, readable] of shown.entries()) {
    const { table } = readable;
    const isPrivate = privacy[index]?.private === true;
    byName.set(table.name, table);
    if (table.kind === "view") contents.views.push({ name: table.name, private: isPrivate });
    else {
      const hidden = tables?.isHidden(database.name, table) ?? false;
      contents.tables.push({ table, readable, hidden, private: isPrivate });
    }
  }
  return { schema, shown: byName, ...contents };
}

const remembered = new WeakMap<Schema, Map<string, readonly Chain[]>>();

/** What is asked about each table and view: the same as long as the schema is. */
function chainsOf(schema: Schema, database: Database, above: Chain): readonly Chain[] {
  const own = remembered.get(schema) ?? new Map<string, readonly Chain[]>();
  remembered.set(schema, own);
  const key = JSON.stringify(above);
  const known = own.get(key);
  if (known !== undefined) return known;
  const names = [...schema.tables.keys()];
  const chains = names.map((name): Chain => [["view-table", resource(database, name)], ...above]);
  own.set(key, chains);
  return chains;
}

const resource = (database: Database, name: string): Resource => [database.name, name];

/** What both documents say of a table, in published order, around whatever each of them adds. */
export const listedTable = (
  { table, hidden, private: isPrivate }: Visible,
  count: number | null,
): ListedTable => ({
  name: table.name,
  columns: table.columns.map(({ name }) => name),
  primary_keys: table.primaryKeys,
  count,
  hidden,
  fts_table: table.fullText?.table ?? null,
  private: isPrivate,
});

/** Order of names by code point, whatever the language of the machine. */
export function compareNames(left: string, right: string): number {
  if (left === right) return 0;
  // Only beyond the first 65536 characters do code units stand in another order.
  if (SURROGATE.test(left) || SURROGATE.test(right)) {
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  }
  return left < right ? -1 : 1;
}

const SURROGATE = /[\ud800-\udfff]/;
