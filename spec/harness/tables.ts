/** The value of a cell. */
export type Literal = null | boolean | number | bigint | string | Uint8Array;

/**
 * Rows, from which the columns and their types are derived (`id` becomes the primary key), or the column definitions
 * of a CREATE TABLE statement: `"id integer primary key, title text"`.
 */
export type TableLiteral = readonly Readonly<Record<string, Literal>>[] | string;

/** SQL that creates tables and inserts their rows. */
export const tablesScript = (tables: Readonly<Record<string, TableLiteral>>): string =>
  Object.entries(tables).map(tableScript).join("\n");

/** SQL that creates views from SELECT statements. */
export const viewsScript = (views: Readonly<Record<string, string>>): string =>
  Object.entries(views)
    .map(([name, select]) => `create view ${quoted(name)} as ${select};`)
    .join("\n");

function tableScript([name, literal]: [string, TableLiteral]): string {
  if (typeof literal === "string") return `create table ${quoted(name)} (${literal});`;
  const columns = [...new Set(literal.flatMap((row) => Object.keys(row)))];
  if (columns.length === 0) throw new Error(`Table ${name} needs a row to infer its columns, or their SQL`);
  const definitions = columns.map((column) =>
    definition(
      column,
      literal.map((row) => row[column] ?? null),
    ),
  );
  const inserts = literal.map((row) => insert(name, row));
  return [`create table ${quoted(name)} (${definitions.join(", ")});`, ...inserts].join("\n");
}

function definition(column: string, values: readonly Literal[]): string {
  const type = typeOf(values.filter((value) => value !== null));
  return `${quoted(column)} ${type}${column === "id" ? " primary key" : ""}`;
}

function typeOf(values: readonly Literal[]): string {
  if (values.length === 0) return "text";
  if (values.every((value) => value instanceof Uint8Array)) return "blob";
  if (values.every(isInteger)) return "integer";
  if (values.every((value) => typeof value === "number" || isInteger(value))) return "real";
  return "text";
}

const isInteger = (value: Literal): boolean =>
  typeof value === "boolean" || typeof value === "bigint" || Number.isInteger(value);

function insert(table: string, row: Readonly<Record<string, Literal>>): string {
  const columns = Object.keys(row).map(quoted).join(", ");
  const values = Object.values(row).map(literalSql).join(", ");
  return columns === ""
    ? `insert into ${quoted(table)} default values;`
    : `insert into ${quoted(table)} (${columns}) values (${values});`;
}

function literalSql(value: Literal): string {
  if (value === null) return "null";
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString("hex")}'`;
  if (value === Infinity) return "9e999";
  if (value === -Infinity) return "-9e999";
  return String(value);
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
