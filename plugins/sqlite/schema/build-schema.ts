import type { Column, Schema, Table } from "rowhouse/plugin-api";
import type { ForeignKey, FullText, IncomingKey, Index } from "rowhouse/plugin-api/engine";
import { foldName } from "rowhouse/plugin-api/names";
import type { Catalogue, CatalogueEntry, ListedColumn, ListedKey, ListedTable } from "./catalogue.js";
import { identifierText, splitAtCommas, tokenize, type Token } from "../sql/statement.js";

/** Makes the frozen schema of Rowhouse from a catalogue. @param version becomes `Schema.version` */
export function buildSchema(catalogue: Catalogue, version: string): Schema {
  const listed = new Map(catalogue.tables.map((table) => [table.name, table]));
  const columns = grouped(catalogue.columns);
  const outgoing = foreignKeys(catalogue, columns);
  const indexes = indexesOf(catalogue);
  const sources = catalogue.entries.filter(({ type }) => type === "table" || type === "view");
  const modules = new Map(sources.map((entry) => [entry.name, moduleOf(entry)]));
  const virtual = sources.filter(({ name }) => modules.get(name) !== null);
  const virtualNames = new Map(virtual.map(({ name }) => [foldName(name), name]));
  const triggers = triggersByTable(catalogue);
  const fullText = fullTextIndexes(sources, modules);
  const incoming = incomingKeys(outgoing);

  const tables = sources.map((entry): Table => {
    const kind = kindOf(entry, listed.get(entry.name));
    const own = columns.get(entry.name) ?? [];
    const hasRowid = kind !== "view" && listed.get(entry.name)?.wr !== 1;
    return freeze({
      name: entry.name,
      kind,
      sql: entry.sql,
      columns: freeze(own.map((column) => toColumn(column, listed.get(entry.name)?.strict === 1))),
      primaryKeys: freeze(primaryKeys(own)),
      hasRowid,
      rowidName: hasRowid ? rowidName(own) : null,
      foreignKeys: freeze(outgoing.get(entry.name) ?? []),
      incoming: freeze(incoming.get(foldName(entry.name)) ?? []),
      indexes: freeze(indexes.get(entry.name) ?? []),
      triggers: freeze(triggers.get(foldName(entry.name)) ?? []),
      // The rows of a view have no rowid by which an index could find them.
      fullText: kind === "view" ? null : (fullText.get(entry.name) ?? null),
      shadowOf: kind === "shadow" ? ownerOfShadow(entry.name, virtualNames) : null,
      module: modules.get(entry.name) ?? null,
      rootPage: entry.rootpage > 0 ? entry.rootpage : null,
    });
  });
  return freeze({ version, tables: new Map(tables.map((table) => [table.name, table])) });
}

const freeze = Object.freeze;

function grouped<Item extends { readonly owner: string }>(items: readonly Item[]): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(item.owner);
    if (group === undefined) groups.set(item.owner, [item]);
    else group.push(item);
  }
  return groups;
}

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

function foreignKeys(
  { keys }: Catalogue,
  columns: ReadonlyMap<string, readonly ListedColumn[]>,
): Map<string, readonly ForeignKey[]> {
  const byOwner = new Map<string, readonly ForeignKey[]>();
  const names = new Map([...columns.keys()].map((name) => [foldName(name), name]));
  for (const [owner, listed] of grouped(keys)) {
    const ids = [...new Set(listed.map(({ id }) => id))];
    const own = ids.map((id) => {
      const parts = listed.filter((key) => key.id === id);
      const written = parts[0]?.table ?? "";
      const otherTable = names.get(foldName(written)) ?? written;
      return toForeignKey(parts, otherTable, primaryKeys(columns.get(otherTable) ?? []));
    });
    byOwner.set(owner, own);
  }
  return byOwner;
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

function indexesOf({ indexes, indexColumns, entries }: Catalogue): Map<string, Index[]> {
  const columns = grouped(indexColumns);
  const stored = new Map(entries.filter(({ type }) => type === "index").map((entry) => [entry.name, entry]));
  const byTable = new Map<string, Index[]>();
  for (const [table, listed] of grouped(indexes)) {
    const own = listed.map((index) =>
      freeze({
        name: index.name,
        unique: index.unique === 1,
        origin: index.origin,
        partial: index.partial === 1,
        columns: freeze((columns.get(index.name) ?? []).map(({ name }) => name)),
        sql: stored.get(index.name)?.sql ?? null,
        rootPage: stored.get(index.name)?.rootpage ?? null,
      }),
    );
    byTable.set(table, own);
  }
  return byTable;
}

/** The triggers of each table, by its folded name. */
function triggersByTable({ entries }: Catalogue): ReadonlyMap<string, Table["triggers"]> {
  const triggers = entries
    .filter(({ type }) => type === "trigger")
    .map(({ name, tbl_name, sql }) => ({
      owner: foldName(tbl_name),
      trigger: freeze({ name, sql: sql ?? "" }),
    }));
  return new Map([...grouped(triggers)].map(([owner, own]) => [owner, own.map(({ trigger }) => trigger)]));
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
  readonly module: string;
  /** The arguments of the module, as tokens. */
  readonly options: readonly (readonly Token[])[];
}

/** The module of a virtual table in lower case; null for any other table. */
function moduleOf(entry: CatalogueEntry): string | null {
  return readVirtualTable(entry)?.module ?? null;
}

/**
 * Full-text indexes by table: the index over the table, or the full-text table itself. If a table has several indexes,
 * the first in the catalogue is used.
 */
function fullTextIndexes(
  entries: readonly CatalogueEntry[],
  modules: ReadonlyMap<string, string | null>,
): ReadonlyMap<string, FullText> {
  const names = new Map(entries.map(({ name }) => [foldName(name), name]));
  const found = new Map<string, FullText>();
  for (const entry of entries) {
    const module = modules.get(entry.name);
    if (module !== "fts3" && module !== "fts4" && module !== "fts5") continue;
    const table = readVirtualTable(entry);
    const content = contentOf(table);
    const configuration = tokenizerOf(table);
    const contentTable = content === null ? null : (names.get(foldName(content)) ?? content);
    const fullText = Object.freeze({
      table: entry.name,
      contentTable,
      module,
      ...(configuration !== null && { configuration }),
    });
    found.set(entry.name, fullText);
    if (contentTable !== null && !found.has(contentTable)) found.set(contentTable, fullText);
  }
  return found;
}

function readVirtualTable({ type, rootpage, sql }: CatalogueEntry): VirtualTable | null {
  if (type !== "table" || rootpage !== 0 || sql === null) return null;
  const tokens = tokenize(sql);
  const using = tokens.findIndex((token) => token.kind === "name" && token.text.toLowerCase() === "using");
  const module = tokens[using + 1];
  if (using === -1 || module === undefined) return null;
  return {
    module: identifierText(module).toLowerCase(),
    options: splitAtCommas(tokens.slice(using + 3, -1)),
  };
}

/** The option `tokenize` without quotes: `porter unicode61`. */
function tokenizerOf(table: VirtualTable | null): string | null {
  for (const [key, equals, ...words] of table?.options ?? [])
    if (key?.text.toLowerCase() === "tokenize" && equals?.text === "=")
      return words.map(identifierText).join(" ");
  return null;
}

/** The table of the option `content`, with or without quotes; null without the option, and for a contentless index. */
function contentOf(table: VirtualTable | null): string | null {
  for (const [key, equals, value] of table?.options ?? []) {
    const isContent = key?.text.toLowerCase() === "content" && equals?.text === "=";
    if (!isContent || value === undefined) continue;
    const name = identifierText(value);
    return name === "" ? null : name;
  }
  return null;
}
