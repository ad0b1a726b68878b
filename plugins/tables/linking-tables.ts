import { QueryInterrupted } from "rowhouse/plugin-api/errors";
import { filterArgument, formEncode } from "rowhouse/plugin-api/http";
import type { SqlInput, SqlValue, Table, Visit } from "rowhouse/plugin-api";
import type { LinkingTable, ReadableTable } from "rowhouse/plugin-api/contracts";
import { hasColumn } from "./table-facts.js";

type RowVisit = Visit<"row">;
type Params = Readonly<Record<string, SqlInput>>;

/** A foreign key of another table that references this one. */
interface IncomingKey {
  readonly other: ReadableTable;
  readonly column: string;
  readonly otherColumn: string;
}

/**
 * Counts, by table, the rows that reference this row. Compound keys and tables that the actor may not view are left
 * out. Empty if counting exceeds the time limit.
 */
export async function linkingTables(visit: RowVisit, table: Table): Promise<readonly LinkingTable[]> {
  const { key } = visit.target;
  if (key.length !== 1) return [];
  const incoming = await visibleIncomingKeys(visit, table);
  if (incoming.length === 0) return [];
  const { publishedIdentifier } = visit.target.database.dialect;
  const counts = incoming.map(
    ({ other, otherColumn }) =>
      `(select count(*) from ${other.flattenable} where ${publishedIdentifier(otherColumn)} = :key)`,
  );
  const params = Object.assign({ key: key[0] }, ...incoming.map(({ other }) => other.params)) as Params;
  const found = await countsOrNull(visit, `select ${counts.join(", ")}`, params);
  if (found === null) return [];
  return incoming.map(({ other, column, otherColumn }, index) => ({
    other_table: other.table.name,
    column,
    other_column: otherColumn,
    count: Number(found[index] ?? 0),
    link: linkTo(visit, other.table.name, otherColumn),
  }));
}

async function visibleIncomingKeys(
  { rowhouse, actor, target }: RowVisit,
  table: Table,
): Promise<readonly IncomingKey[]> {
  const keys = table.incoming.filter(({ columns }) => columns.length === 1);
  const names = keys.map(({ otherTable }) => otherTable);
  const allowed = await rowhouse.service("rowAccess").viewable(actor, target.database, names);
  const { tables } = target.database.lastSchema ?? (await target.database.schema());
  const others = await rowhouse.service("rowAccess").readableMany(
    actor,
    target.database,
    [...allowed].flatMap((name) => tables.get(name) ?? []),
  );
  const byName = new Map(others.map((other) => [other.table.name, other]));
  return keys.flatMap(({ columns, otherTable, otherColumns }) => {
    const other = byName.get(otherTable);
    const [column] = columns;
    const [otherColumn] = otherColumns;
    if (other === undefined || column === undefined || otherColumn === undefined) return [];
    return other.restricted && !hasColumn(other.table, otherColumn) ? [] : [{ other, column, otherColumn }];
  });
}

async function countsOrNull(
  { target }: RowVisit,
  sql: string,
  params: Params,
): Promise<readonly SqlValue[] | null> {
  try {
    const { rows } = await target.database.read(sql, params);
    return rows[0] ?? null;
  } catch (error) {
    if (error instanceof QueryInterrupted) return null;
    throw error;
  }
}

function linkTo({ rowhouse, target }: RowVisit, otherTable: string, otherColumn: string): string {
  const path = rowhouse.urls.table(target.database.name, otherTable);
  // The contract publishes the column unencoded; only characters that would end or change the name are encoded.
  const argument = filterArgument(otherColumn).replace(/[%&+#=]/g, encodeURIComponent);
  return `${path}?${argument}=${formEncode(target.key[0] ?? "")}`;
}
