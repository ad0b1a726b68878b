import type { ReadAllowlist } from "rowhouse/plugin-api";
import { quoteIdentifier } from "rowhouse/plugin-api";
import type { Connection } from "../open/connection.js";

/** A table, view or virtual table as `sqlite_schema` has it. */
export interface SchemaObject {
  readonly name: string;
  readonly kind: "table" | "view" | "virtual";
  readonly sql: string;
}

/** One of the databases that a connection sees, and what may be read of it. */
export interface Source {
  /** As SQLite's programs number it. */
  readonly index: number;
  /** `main`, or the name it is attached under. */
  readonly schema: string;
  readonly allowed: Omit<ReadAllowlist, "attached">;
  /** By name in lower case. */
  readonly objects: ReadonlyMap<string, SchemaObject>;
  /** The table that a root page belongs to, directly or through an index. */
  readonly tablesByRoot: ReadonlyMap<number, string>;
  /** Modules of virtual tables, some of which can be read without having been made. */
  readonly modules: ReadonlySet<string>;
}

type Known = Pick<Source, "objects" | "tablesByRoot" | "modules"> & { readonly version: number };

/** Per connection, by schema. They hold as long as the schema's version does. */
const remembered = new WeakMap<Connection, Map<string, Known>>();

const NOTHING = { tables: new Set<string>(), views: new Set<string>() };

/** Every database of a connection. The caller sees to it that no write comes in between (a transaction). */
export async function readSources(connection: Connection, confinement: ReadAllowlist): Promise<Source[]> {
  const schemas = await connection.all<{ seq: number; name: string }>({
    sql: "select seq, name from pragma_database_list",
    values: [],
  });
  const sources: Source[] = [];
  for (const { seq, name } of schemas) {
    const allowed = seq === 0 ? confinement : (confinement.attached.get(name) ?? NOTHING);
    sources.push({ index: seq, schema: name, allowed, ...(await known(connection, name)) });
  }
  return sources;
}

async function known(connection: Connection, schema: string): Promise<Known> {
  const own = remembered.get(connection) ?? new Map<string, Known>();
  remembered.set(connection, own);
  const [row] = await connection.once<{ schema_version: number }>({
    sql: `pragma ${quoteIdentifier(schema)}.schema_version`,
    values: [],
  });
  const version = row?.schema_version ?? -1;
  const before = own.get(schema);
  if (before?.version === version) return before;
  const read = await readSource(connection, schema, version);
  own.set(schema, read);
  return read;
}

interface Entry {
  readonly type: string;
  readonly name: string;
  readonly tbl_name: string;
  readonly rootpage: number;
  readonly sql: string | null;
}

async function readSource(connection: Connection, schema: string, version: number): Promise<Known> {
  const entries = await connection.all<Entry>({
    sql: `select type, name, tbl_name, rootpage, sql from ${quoteIdentifier(schema)}.sqlite_schema`,
    values: [],
  });
  const modules = await connection.all<{ name: string }>({
    sql: "select name from pragma_module_list",
    values: [],
  });
  const sources = entries.filter(({ type }) => type === "table" || type === "view");
  return {
    version,
    objects: new Map([
      ...ENGINES_OWN,
      ...sources.map((entry) => [entry.name.toLowerCase(), toObject(entry)] as const),
    ]),
    tablesByRoot: new Map(
      entries.filter(({ rootpage }) => rootpage > 0).map(({ rootpage, tbl_name }) => [rootpage, tbl_name]),
    ),
    modules: new Set(modules.map(({ name }) => name.toLowerCase())),
  };
}

const toObject = ({ type, name, rootpage, sql }: Entry): SchemaObject => ({
  name,
  kind: type === "view" ? "view" : rootpage === 0 ? "virtual" : "table",
  sql: sql ?? "",
});

/** Tables about tables, which stand in no catalogue and which nobody may be confined to. */
const ENGINES_OWN = ["sqlite_schema", "sqlite_master", "sqlite_temp_schema", "sqlite_temp_master"].map(
  (name) => [name, { name, kind: "table", sql: "" } as SchemaObject] as const,
);
