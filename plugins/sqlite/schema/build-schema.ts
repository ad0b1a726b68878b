import type { Column, Schema, Table } from "rowhouse/plugin-api";
import type { ForeignKey, FullText, IncomingKey, Index } from "rowhouse/plugin-api/engine";
import { foldName } from "rowhouse/plugin-api/names";
import { TimeSlices } from "rowhouse/plugin-api/http";
import type {
  Catalogue,
  CatalogueEntry,
  ListedColumn,
  ListedIndex,
  ListedKey,
  ListedTable,
} from "./catalogue.js";
import { identifierText, splitAtCommas, tokenize, wordOf, type Token } from "../sql/tokens.js";

/**
 * Makes the frozen schema of Rowhouse from a catalogue, in time slices.
 *
 * @param version becomes `Schema.version`
 */
export async function buildSchema(catalogue: Catalogue, version: string): Promise<Schema> {
  const slices = new TimeSlices();
  const listed = new Map(catalogue.tables.map((table) => [table.name, table]));
  const stored = new Map(
    catalogue.entries.filter(({ type }) => type === "index").map((entry) => [entry.name, entry]),
  );
  const sources = catalogue.entries.filter(({ type }) => type === "table" || type === "view");
  const outgoing = foreignKeys(sources);
  const virtual = new Map(
    sources.flatMap((entry) => {
      const table = readVirtualTable(entry);
      return table === null ? [] : [[entry.name, table] as const];
    }),
  );
  const virtualNames = new Map([...virtual.keys()].map((name) => [foldName(name), name]));
  const triggers = triggersByTable(catalogue);
  const fullText = fullTextIndexes(sources, virtual);
  const incoming = incomingKeys(outgoing);
  await slices.nextIfOver();

  const tables = new Map<string, Table>();
  for (const entry of sources) {
    const { name, columns, sql, rootpage } = entry;
    const kind = kindOf(entry, listed.get(name));
    const hasRowid = kind !== "view" && listed.get(name)?.wr !== 1;
    const table: Table = freeze({
      name,
      kind,
      sql,
      columns: freeze(columns.map((column) => toColumn(column, listed.get(name)?.strict === 1))),
      primaryKeys: freeze(primaryKeys(columns)),
      hasRowid,
      rowidName: hasRowid ? rowidName(columns) : null,
      foreignKeys: freeze(outgoing.get(name) ?? []),
      incoming: freeze(incoming.get(foldName(name)) ?? []),
      indexes: freeze(entry.indexes.map((index) => toIndex(index, stored.get(index.name)))),
      triggers: freeze(triggers.get(foldName(name)) ?? []),
      // The rows of a view have no rowid by which an index could find them.
      fullText: kind === "view" ? null : (fullText.get(name) ?? null),
      shadowOf: kind === "shadow" ? ownerOfShadow(name, virtualNames) : null,
      module: virtual.get(name)?.module ?? null,
      rootPage: rootpage > 0 ? rootpage : null,
    });
    tables.set(name, table);
    if (slices.isOver) await slices.next();
  }
  return freeze({ version, tables });
}

const freeze = Object.freeze;

function kindOf(entry: CatalogueEntry, listed: ListedTable | undefined): Table["kind"] {
  if (entry.type === "view") return "view";
  return listed?.type ?? (entry.rootpage === 0 ? "virtual" : "table");
}

const GENERATED: Readonly<Record<number, Column["generated"]>> = { 2: "virtual", 3: "stored" };

const toColumn = (column: ListedColumn, isStrict: boolean): Column =>
  freeze({
    name: column.name,
    type: column.type,
    affinity: isStrict && column.type === "ANY" ? "blob" : affinityOf(column.type),
    notNull: column.notnull === 1,
    defaultSql: column.dflt_value,
    primaryKeyPosition: column.pk,
    hidden: column.hidden === 1,
    generated: GENERATED[column.hidden] ?? "no",
  });

/** https://www.sqlite.org/datatype3.html#determination_of_column_affinity */
function affinityOf(type: string): Column["affinity"] {
  const declared = type.toUpperCase();
  if (declared.includes("INT")) return "integer";
  if (/CHAR|CLOB|TEXT/.test(declared)) return "text";
  if (declared === "" || declared.includes("BLOB")) return "blob";
  return /REAL|FLOA|DOUB/.test(declared) ? "real" : "numeric";
}

const primaryKeys = (columns: readonly ListedColumn[]): string[] =>
  columns
    .filter(({ pk }) => pk > 0)
    .toSorted((left, right) => left.pk - right.pk)
    .map(({ name }) => name);

function rowidName(columns: readonly ListedColumn[]): string | null {
  const taken = new Set(columns.map(({ name }) => foldName(name)));
  return ["rowid", "_rowid_", "oid"].find((name) => !taken.has(name)) ?? null;
}

function foreignKeys(sources: readonly CatalogueEntry[]): ReadonlyMap<string, readonly ForeignKey[]> {
  const byName = new Map(sources.map((source) => [foldName(source.name), source]));
  const keysOf = ({ keys }: CatalogueEntry): readonly ForeignKey[] =>
    [...new Set(keys.map(({ id }) => id))].map((id) => {
      const parts = keys.filter((key) => key.id === id);
      const written = parts[0]?.table ?? "";
      const other = byName.get(foldName(written));
      return toForeignKey(parts, other?.name ?? written, primaryKeys(other?.columns ?? []));
    });
  return new Map(sources.map((source) => [source.name, keysOf(source)]));
}

function toForeignKey(
  parts: readonly ListedKey[],
  otherTable: string,
  targetKey: readonly string[],
): ForeignKey {
  const [first] = parts;
  return freeze({
    columns: freeze(parts.map(({ from }) => from)),
    otherTable,
    otherColumns: freeze(parts.map(({ to }, index) => to ?? targetKey[index] ?? "rowid")),
    onDelete: first?.on_delete ?? "NO ACTION",
    onUpdate: first?.on_update ?? "NO ACTION",
  });
}

/** Foreign keys by the folded name of their target, because references match without regard to case. */
function incomingKeys(outgoing: ReadonlyMap<string, readonly ForeignKey[]>): Map<string, IncomingKey[]> {
  const incoming = new Map<string, IncomingKey[]>();
  for (const [otherTable, keys] of outgoing) {
    for (const key of keys) {
      const target = foldName(key.otherTable);
      const arriving = freeze({ columns: key.otherColumns, otherTable, otherColumns: key.columns });
      const known = incoming.get(target);
      if (known === undefined) incoming.set(target, [arriving]);
      else known.push(arriving);
    }
  }
  return incoming;
}

const toIndex = (listed: ListedIndex, stored: CatalogueEntry | undefined): Index =>
  freeze({
    name: listed.name,
    unique: listed.unique === 1,
    origin: listed.origin,
    partial: listed.partial === 1,
    columns: freeze(listed.columns),
    sql: stored?.sql ?? null,
    rootPage: stored?.rootpage ?? null,
  });

/** The triggers of each table, by its folded name. */
function triggersByTable({ entries }: Catalogue): ReadonlyMap<string, Table["triggers"]> {
  const byTable = new Map<string, Table["triggers"][number][]>();
  for (const { type, name, tbl_name, sql } of entries) {
    if (type !== "trigger") continue;
    const owner = foldName(tbl_name);
    const trigger = freeze({ name, sql: sql ?? "" });
    const own = byTable.get(owner);
    if (own === undefined) byTable.set(owner, [trigger]);
    else own.push(trigger);
  }
  return byTable;
}

/** The owner is the virtual table with the longest matching name: `docs_fts_data` belongs to `docs_fts`, not to `docs`. */
function ownerOfShadow(name: string, virtualNames: ReadonlyMap<string, string>): string | null {
  let end = name.lastIndexOf("_");
  while (end > 0) {
    const owner = virtualNames.get(foldName(name.slice(0, end)));
    if (owner !== undefined) return owner;
    end = name.lastIndexOf("_", end - 1);
  }
  return null;
}

/** The parts of `create virtual table t using fts5(a, content="docs")`. */
interface VirtualTable {
  /** In lower case. */
  readonly module: string;
  /** The arguments of the module, as tokens. */
  readonly options: readonly (readonly Token[])[];
}

/**
 * Full-text indexes by table: the index over the table, or the full-text table itself. If a table has several indexes,
 * the first in the catalogue is used.
 */
function fullTextIndexes(
  entries: readonly CatalogueEntry[],
  virtual: ReadonlyMap<string, VirtualTable>,
): ReadonlyMap<string, FullText> {
  const names = new Map(entries.map(({ name }) => [foldName(name), name]));
  const found = new Map<string, FullText>();
  for (const [table, { module, options }] of virtual) {
    if (module !== "fts3" && module !== "fts4" && module !== "fts5") continue;
    // It may be in quotes. A contentless index has an empty one.
    const [content = ""] = optionOf(options, "content").map(identifierText);
    const contentTable = content === "" ? null : (names.get(foldName(content)) ?? content);
    // `porter unicode61`
    const configuration = optionOf(options, "tokenize").map(identifierText).join(" ");
    const fullText = freeze({ table, contentTable, module, ...(configuration !== "" && { configuration }) });
    found.set(table, fullText);
    if (contentTable !== null && !found.has(contentTable)) found.set(contentTable, fullText);
  }
  return found;
}

function readVirtualTable({ type, rootpage, sql }: CatalogueEntry): VirtualTable | null {
  if (type !== "table" || rootpage !== 0 || sql === null) return null;
  const tokens = tokenize(sql);
  const using = tokens.findIndex((token) => wordOf(token) === "using");
  const module = tokens[using + 1];
  if (using === -1 || module === undefined) return null;
  return {
    module: identifierText(module).toLowerCase(),
    options: splitAtCommas(tokens.slice(using + 3, -1)),
  };
}

/** The value of an option; empty without it. */
const optionOf = (options: VirtualTable["options"], name: string): readonly Token[] =>
  options.find(([key, equals]) => wordOf(key) === name && equals?.text === "=")?.slice(2) ?? [];
