import { Html, messageOf, type Rowhouse, type SqlValue } from "rowhouse/plugin-api";
import { Real } from "rowhouse/plugin-api/engine";
import { PluginError } from "rowhouse/plugin-api/errors";
import type { AcceptedRow, ColumnType, TypedColumn, TypedColumns } from "rowhouse/plugin-api/contracts";
import { synchronous } from "rowhouse/plugin-api/kernel";

interface TypedTable {
  readonly database: string;
  readonly table: string;
  /** By name in lower case. */
  readonly columns: ReadonlyMap<string, TypedColumn>;
}

/** The typed columns of one table, with the functions of their types. */
export function typedColumns(rowhouse: Rowhouse, { database, table, columns }: TypedTable): TypedColumns {
  const get = (column: string): TypedColumn | null => columns.get(column.toLowerCase()) ?? null;
  return {
    get,
    render(column, value, truncate) {
      const typed = get(column);
      if (typed?.is.render === undefined || value === null) return null;
      try {
        const { config } = typed.given;
        const cell = typed.is.render({ value, config, column, table, database, truncate });
        return shown(synchronous(cell, `render of the column type ${typed.is.name}`));
      } catch (error) {
        complainOnce(rowhouse, typed, error);
        return null;
      }
    },
    accept: (row) => accept(rowhouse, row, get),
  };
}

function accept(
  rowhouse: Rowhouse,
  row: ReadonlyMap<string, SqlValue>,
  get: (column: string) => TypedColumn | null,
): AcceptedRow {
  const values = new Map(row);
  const mistakes: AcceptedRow["mistakes"][number][] = [];
  for (const [column, value] of row) {
    const typed = get(column);
    if (typed === null) continue;
    try {
      const stored = transformed(typed, value);
      if (stored !== value) values.set(column, stored);
      const message = complaint(typed, stored);
      if (message !== null) mistakes.push({ column, message });
    } catch (error) {
      throw new PluginError(pluginOf(rowhouse, typed.is), "register_column_types", error);
    }
  }
  return { values, mistakes };
}

function transformed({ is, given: { config, type } }: TypedColumn, value: SqlValue): SqlValue {
  if (value === null || is.transform === undefined) return value;
  const stored = synchronous(is.transform(value, config), `transform of the column type ${is.name}`);
  if (stored === undefined) return value;
  if (isStorable(stored)) return stored;
  throw new TypeError(`the column type ${type} made something of a value that no column holds`);
}

function complaint({ is, given: { config, type } }: TypedColumn, value: SqlValue): string | null {
  if (value === null || is.validate === undefined) return null;
  const message = synchronous(is.validate(value, config), `validate of the column type ${is.name}`) ?? null;
  if (message === null || typeof message === "string") return message;
  throw new TypeError(`the column type ${type} answered a check with neither text nor nothing`);
}

function isStorable(value: unknown): value is SqlValue {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value === "bigint") return BigInt.asIntN(64, value) === value;
  return value === null || value instanceof Real || value instanceof Uint8Array;
}

function shown(rendered: unknown): string | Html | null {
  if (rendered === null || rendered === undefined) return null;
  if (typeof rendered === "string" || rendered instanceof Html) return rendered;
  throw new TypeError("it showed neither text nor markup that html`...` made");
}

/** The plugin of a type, for errors. */
export const pluginOf = (rowhouse: Rowhouse, is: ColumnType): string =>
  rowhouse.pluginOf(is) ?? "column-types";

const complained = new WeakSet<object>();

/** Pages look up the type of each cell. */
function complainOnce(rowhouse: Rowhouse, typed: TypedColumn, error: unknown): void {
  if (complained.has(typed.is)) return;
  complained.add(typed.is);
  rowhouse.log.error(
    `Plugin ${pluginOf(rowhouse, typed.is)} failed in render of column type ${typed.given.type}: ${messageOf(error)}`,
    error,
  );
}
