import type { ReadAllowlist } from "rowhouse/plugin-api/engine";
import { quoteIdentifier } from "rowhouse/plugin-api";
import { foldName } from "rowhouse/plugin-api/names";
import type { Connection } from "../open/connection.js";
import type { Statement } from "../sql/statement.js";
import { foldedName, tokenize, wordOf, type Token } from "../sql/tokens.js";

/** A table, view or virtual table of `sqlite_schema`. */
export interface SchemaObject {
  readonly name: string;
  readonly kind: "table" | "view" | "virtual";
  readonly sql: string;
}

/** A database of a connection, and what may be read of it. */
export interface Source {
  /** The number of the database in compiled programs. */
  readonly index: number;
  /** `main`, or the name under which it is attached. */
  readonly schema: string;
  readonly allowed: Omit<ReadAllowlist, "attached">;
  /** By folded name: names that differ in letters outside of ASCII are different tables. */
  readonly objects: ReadonlyMap<string, SchemaObject>;
  /** The table that a root page belongs to, directly or through an index. */
  readonly tablesByRoot: ReadonlyMap<number, string>;
  readonly modules: ReadonlySet<string>;
}

type CachedSource = Pick<Source, "objects" | "tablesByRoot" | "modules"> & { readonly version: number };

/** By connection and schema name. They are valid until the schema version changes. */
const sourceCache = new WeakMap<Connection, Map<string, CachedSource>>();

const NOTHING = { tables: new Set<string>(), views: new Set<string>() };

/** All databases of a connection. Call it in a transaction, so that the schema does not change meanwhile. */
export async function readSources(connection: Connection, allowlist: ReadAllowlist): Promise<Source[]> {
  const schemas = await connection.all<{ seq: number; name: string }>({
    sql: "select seq, name from pragma_database_list",
  });
  const sources: Source[] = [];
  for (const { seq, name } of schemas) {
    const allowed = seq === 0 ? allowlist : (allowlist.attached.get(name) ?? NOTHING);
    sources.push({ index: seq, schema: name, allowed, ...(await cachedSource(connection, name)) });
  }
  return sources;
}

async function cachedSource(connection: Connection, schema: string): Promise<CachedSource> {
  const own = sourceCache.get(connection) ?? new Map<string, CachedSource>();
  sourceCache.set(connection, own);
  const [row] = await connection.once<{ schema_version: number }>({
    sql: `pragma ${quoteIdentifier(schema)}.schema_version`,
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

async function readSource(connection: Connection, schema: string, version: number): Promise<CachedSource> {
  const entries = await connection.all<Entry>({
    sql: `select type, name, tbl_name, rootpage, sql from ${quoteIdentifier(schema)}.sqlite_schema`,
  });
  const sources = entries.filter(({ type }) => type === "table" || type === "view");
  return {
    version,
    objects: new Map([
      ...SCHEMA_TABLES,
      ...sources.map((entry) => [foldName(entry.name), toObject(entry)] as const),
    ]),
    tablesByRoot: new Map(
      entries.filter(({ rootpage }) => rootpage > 0).map(({ rootpage, tbl_name }) => [rootpage, tbl_name]),
    ),
    modules: await modulesOf(connection),
  };
}

/** The folded names of the modules of virtual tables. Some can be read without CREATE VIRTUAL TABLE. */
export async function modulesOf(connection: Connection): Promise<ReadonlySet<string>> {
  const rows = await connection.all<{ name: string }>({ sql: "select name from pragma_module_list" });
  return new Set(rows.map(({ name }) => foldName(name)));
}

const toObject = ({ type, name, rootpage, sql }: Entry): SchemaObject => ({
  name,
  kind: type === "view" ? "view" : rootpage === 0 ? "virtual" : "table",
  sql: sql ?? "",
});

/** Tables of SQLite about tables. No catalogue lists them, and no allowlist contains them. */
const SCHEMA_TABLES = ["sqlite_schema", "sqlite_master", "sqlite_temp_schema", "sqlite_temp_master"].map(
  (name) => [name, { name, kind: "table", sql: "" } as SchemaObject] as const,
);

/** The names in a statement and in the definitions of views and virtual tables that it names, folded. */
export interface Mentions {
  /** All words, whatever they mean. */
  readonly all: ReadonlySet<string>;
  /** Words that can name a table. Strings that can only be values are left out. */
  readonly tables: ReadonlySet<string>;
  /** True if it names an allowed view. The definition of such a view is not searched. */
  readonly usesAllowedView: boolean;
}

/** It may return too many names, but not too few. */
export function mentionsOf(statement: Statement, sources: readonly Source[]): Mentions {
  const all = new Set<string>();
  const tables = new Set<string>();
  let usesAllowedView = false;
  const visit = (tokens: readonly Token[], isDefinition: boolean): void => {
    for (const [index, token] of tokens.entries()) {
      if (!isNaming(token)) continue;
      const name = foldedName(token);
      if (isDefinition || token.kind !== "string" || mayNameTable(tokens, index)) tables.add(name);
      if (all.has(name)) continue;
      all.add(name);
      const named = objectsNamed(name, sources);
      const isAllowedView = ({ object, source }: NamedObject): boolean =>
        source.allowed.views.has(object.name);
      if (named.length > 0 && named.every(isAllowedView)) usesAllowedView = true;
      else for (const { object } of named) visit(definitionOf(object), object.kind === "virtual");
    }
  };
  visit(statement.tokens, false);
  return { all, tables, usesAllowedView };
}

const NAMING: ReadonlySet<Token["kind"]> = new Set(["name", "quoted-name", "string"]);

/** True if a token can name a table. */
export const isNaming = ({ kind }: Token): boolean => NAMING.has(kind);

/** A table or view, and the database that has it. */
export interface NamedObject {
  readonly object: SchemaObject;
  readonly source: Source;
}

/** What a folded name can mean: several databases may have it. */
export const objectsNamed = (name: string, sources: readonly Source[]): readonly NamedObject[] =>
  sources.flatMap((source) => {
    const object = source.objects.get(name);
    return object === undefined ? [] : [{ object, source }];
  });

/** True if the allowlist contains it. */
export const isAllowed = ({ object: { name }, source: { allowed } }: NamedObject): boolean =>
  allowed.tables.has(name) || allowed.views.has(name);

/** The tokens of a definition that can name tables. The definition of a plain table contains only its columns. */
export function definitionOf({ kind, sql }: SchemaObject): readonly Token[] {
  if (kind === "table") return [];
  return kind === "virtual" ? moduleArguments(sql) : tokenize(sql);
}

/** The tokens after the module in CREATE VIRTUAL TABLE. The module itself reads nothing here. */
export function moduleArguments(sql: string): readonly Token[] {
  const tokens = tokenize(sql);
  return tokens.slice(tokens.findIndex((token) => wordOf(token) === "using") + 2);
}

/** SQLite accepts a string as the name of a table after FROM, JOIN, a comma, a dot or IN. */
function mayNameTable(tokens: readonly Token[], index: number): boolean {
  let before = index - 1;
  while (tokens[before]?.kind === "open") before -= 1;
  const previous = tokens[before];
  if (previous === undefined) return false;
  const word = wordOf(previous);
  if (word === "in") return before === index - 1;
  if (previous.kind === "comma") return !isListOfValues(tokens, before);
  return word === "from" || word === "join" || previous.text === ".";
}

/** True for a comma inside `in (...)` or `values (...)`. */
function isListOfValues(tokens: readonly Token[], comma: number): boolean {
  let depth = 0;
  for (let at = comma - 1; at > 0; at -= 1) {
    const { kind } = tokens[at] ?? {};
    if (kind === "close") depth += 1;
    if (kind === "open") depth -= 1;
    if (depth >= 0) continue;
    const opens = wordOf(tokens[at + 1]);
    if (opens === "select" || opens === "with") return false;
    return ["in", "values"].includes(wordOf(tokens[at - 1]));
  }
  return false;
}
