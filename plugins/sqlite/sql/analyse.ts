import type { Schema, Table } from "rowhouse/plugin-api";
import type { Analysis } from "rowhouse/plugin-api/engine";
import { parameterNames, statementOrNull, type Statement } from "./statement.js";
import { foldedName, placesAtTopLevel, tokenize, wordOf, type Token } from "./tokens.js";
import { foldName } from "rowhouse/plugin-api/names";
import { LOAD_SCHEMA } from "../read/columns.js";
import type { Connection } from "../open/connection.js";
import type { DriverError } from "../open/errors.js";
import { moduleArguments, modulesOf } from "../read/schema-names.js";

/**
 * Determines the kind of a statement, and what it reads and writes, from the program that SQLite compiles it to. The
 * program opens each table or index by its root page. Virtual tables have no root page and are found by name.
 *
 * @param schemaAt returns the schema of a version; null if the database has another version by now
 */
export async function analyse(
  connection: Connection,
  sql: string,
  schemaAt: (version: number) => Promise<Schema | null>,
): Promise<Analysis> {
  const statement = statementOrNull(sql);
  if (statement === null) return { kind: "unknown", reads: null, writes: null, parameters: [] };
  const parameters = parameterNames(statement);
  const kind = kindOf(statement);
  if (!COMPILED.has(kind)) return { kind, reads: null, writes: null, parameters };
  const [current] = await connection.all<{ version: number }>({ sql: LOAD_SCHEMA });
  const schema = await schemaAt(current?.version ?? -1);
  if (schema === null) return { kind, reads: null, writes: null, parameters };
  try {
    const program = await connection.once<Instruction>({ sql: `explain ${statement.sql}` });
    const touched = tablesTouched(program, schema, namesOf(schema, statement, await modulesOf(connection)));
    return { kind, reads: touched?.reads ?? null, writes: touched?.writes ?? null, parameters };
  } catch (error) {
    // Other errors concern the file. The caller tries again while it is locked.
    if ((error as DriverError).code !== "SQLITE_ERROR") throw error;
    return { kind: "unknown", reads: null, writes: null, parameters };
  }
}

const COMPILED: ReadonlySet<Analysis["kind"]> = new Set(["select", "insert", "update", "delete"]);

const KINDS: ReadonlyMap<string, Analysis["kind"]> = new Map(
  Object.entries<Analysis["kind"]>({
    select: "select",
    values: "select",
    insert: "insert",
    replace: "insert",
    update: "update",
    delete: "delete",
    create: "schema",
    drop: "schema",
    alter: "schema",
    reindex: "schema",
    explain: "explain",
    pragma: "pragma",
  }),
);

/** Decided by the first word; after WITH by the first word outside of parentheses that is in `KINDS`. */
function kindOf({ verb, tokens }: Statement): Analysis["kind"] {
  if (verb !== "with") return KINDS.get(verb) ?? "unknown";
  const [first] = placesAtTopLevel(tokens, (token) => KINDS.has(wordOf(token)));
  return KINDS.get(wordOf(tokens[first ?? 0])) ?? "unknown";
}

interface Touched {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** Null if the program opens something unknown. */
function tablesTouched(
  program: readonly Instruction[],
  schema: Schema,
  virtual: readonly string[],
): Touched | null {
  const byRoot = rootPages(schema);
  const reads = new Set<string>();
  const writes = new Set<string>();
  for (const opened of openedRoots(program)) {
    // Database 1 contains temporary tables, higher numbers are attached databases.
    const name = opened.database === 0 ? byRoot.get(opened.root) : undefined;
    if (name === undefined) return null;
    (opened.writes ? writes : reads).add(name);
  }
  if (opensVirtual(program)) {
    if (virtual.length === 0) return null;
    const tables = virtual.filter((name) => !PURE_FUNCTIONS.has(name) || schema.tables.has(name));
    for (const name of tables) reads.add(name);
    if (program.some(({ opcode }) => opcode === "VUpdate")) for (const name of tables) writes.add(name);
  }
  return { reads: [...reads], writes: [...writes] };
}

function rootPages(schema: Schema): ReadonlyMap<number, string> {
  const pages = new Map<number, string>([[1, "sqlite_schema"]]);
  for (const table of schema.tables.values()) {
    if (table.rootPage !== null) pages.set(table.rootPage, table.name);
    for (const { rootPage } of table.indexes) if (rootPage !== null) pages.set(rootPage, table.name);
  }
  return pages;
}

/**
 * Virtual tables that a statement could mean: those named in it, or in the definition of a view, trigger or virtual
 * table that is named, recursively, and the tables with their content. It may return too many names, but not too few.
 */
function namesOf(schema: Schema, statement: Statement, modules: ReadonlySet<string>): string[] {
  const byName = new Map([...schema.tables.values()].map((table) => [foldName(table.name), table]));
  const found = new Set<string>();
  const visited = new Set<string>();
  const visit = (tokens: readonly Token[]): void => {
    for (const name of tokens.map(foldedName)) {
      if (visited.has(name)) continue;
      visited.add(name);
      if (PURE_FUNCTIONS.has(name) || modules.has(name) || name.startsWith("pragma_")) found.add(name);
      const table = byName.get(name);
      if (table === undefined) continue;
      if (table.kind === "virtual") for (const one of withContentTable(table)) found.add(one);
      for (const definition of definitions(table)) visit(definition);
    }
  };
  visit(statement.tokens);
  return [...found];
}

const withContentTable = (table: Table): string[] =>
  [table.name, table.fullText?.contentTable ?? null].filter((name) => name !== null);

const definitions = ({ kind, sql, triggers }: Table): (readonly Token[])[] => [
  ...(kind === "table" || sql === null ? [] : [kind === "virtual" ? moduleArguments(sql) : tokenize(sql)]),
  ...triggers.map((trigger) => tokenize(trigger.sql)),
];

/** An instruction of a compiled statement, as EXPLAIN lists it. */
export interface Instruction {
  readonly opcode: string;
  readonly p1: number;
  readonly p2: number;
  readonly p3: number;
  readonly p4: string | null;
}

/** A table or index that a program opens. */
export interface OpenedRoot {
  readonly root: number;
  /** 0 is the main database, 1 contains temporary tables, higher numbers are attached databases. */
  readonly database: number;
  readonly writes: boolean;
}

type Operands = Pick<Instruction, "p1" | "p2" | "p3">;

const OPENS: ReadonlyMap<string, (operands: Operands) => OpenedRoot> = new Map<
  string,
  (operands: Operands) => OpenedRoot
>([
  ["OpenRead", ({ p2, p3 }) => ({ root: p2, database: p3, writes: false })],
  ["ReopenIdx", ({ p2, p3 }) => ({ root: p2, database: p3, writes: false })],
  ["OpenWrite", ({ p2, p3 }) => ({ root: p2, database: p3, writes: true })],
  ["Clear", ({ p1, p2 }) => ({ root: p1, database: p2, writes: true })],
]);

/** The root pages that a program opens, in order. */
export const openedRoots = (program: readonly Instruction[]): OpenedRoot[] =>
  program.flatMap(({ opcode, ...operands }) => OPENS.get(opcode)?.(operands) ?? []);

/** True if a program opens a virtual table. These have no root page. */
export const opensVirtual = (program: readonly Instruction[]): boolean =>
  program.some(({ opcode }) => opcode === "VOpen" || opcode === "VUpdate");

/** Table-valued functions that read only their arguments. */
export const PURE_FUNCTIONS: ReadonlySet<string> = new Set([
  "json_each",
  "json_tree",
  "jsonb_each",
  "jsonb_tree",
]);
