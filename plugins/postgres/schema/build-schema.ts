import type { Column, Schema, Table } from "rowhouse/plugin-api";
import type { ForeignKey, FullText, IncomingKey, Index } from "rowhouse/plugin-api/engine";
import { readRecordedKeys } from "../sql/recorded-keys.js";
import { readsCatalogue } from "../sql/refused-functions.js";
import { nameOf, tokenize } from "../sql/tokens.js";
import { affinityOf, hasEmptyText } from "../sql/types.js";
import type {
  Catalogue,
  ListedColumn,
  ListedConstraint,
  ListedIndex,
  ListedTable,
  ListedTrigger,
} from "./catalogue.js";
import { tableDefinition } from "./definition.js";

const freeze = Object.freeze;

/** Makes the frozen schema of Rowhouse from a catalogue. @param version becomes `Schema.version` */
export function buildSchema(catalogue: Catalogue, version: string): Schema {
  const names = new Map(catalogue.tables.map(({ oid, name }) => [oid, name]));
  const columns = grouped(catalogue.columns);
  const constraints = grouped(catalogue.constraints);
  const indexes = grouped(catalogue.indexes);
  const triggers = grouped(catalogue.triggers);
  const namesOf = (oid: number, positions: readonly number[] | null): string[] =>
    (positions ?? []).map(
      (position) => columns.get(oid)?.find((column) => column.position === position)?.name ?? "",
    );
  const listing = { names, columns, constraints, namesOf };
  const foreignKeys = new Map(catalogue.tables.map((one) => [one.oid, foreignKeysOf(one, listing)]));
  const incoming = incomingKeys(foreignKeys, names);

  const tables = catalogue.tables.map((listed): Table => {
    const { oid, name } = listed;
    const own = columns.get(oid) ?? [];
    const rules = constraints.get(oid) ?? [];
    const key = rules.find(({ kind }) => kind === "p");
    const declaredKeys = namesOf(oid, key?.columns ?? null);
    const hasRowid = isRowidKey(declaredKeys, own);
    const primaryKeys = hasRowid ? [] : declaredKeys;
    return freeze({
      name,
      kind: isView(listed) ? "view" : "table",
      sql: tableDefinition(listed, own, rules),
      columns: freeze(
        own
          .filter((column) => isData(column) && !(hasRowid && column.name === "rowid"))
          .map((column) => toColumn(column, primaryKeys)),
      ),
      primaryKeys: freeze(primaryKeys),
      hasRowid,
      rowidName: hasRowid ? "rowid" : null,
      foreignKeys: foreignKeys.get(oid) ?? freeze([]),
      incoming: freeze(incoming.get(name) ?? []),
      indexes: freeze((indexes.get(oid) ?? []).map((index) => toIndex(index, namesOf))),
      triggers: freeze(
        (triggers.get(oid) ?? []).map((one) => freeze({ name: one.name, sql: one.definition })),
      ),
      fullText: fullTextOf(name, own),
      ...(isView(listed) && { reads: readsOf(listed) }),
      ...(listed.inheritingTables.length > 0 && { inheritingTables: freeze(listed.inheritingTables) }),
      ...(key?.deferrable === true && { deferrableKey: true }),
      ...(hasUnlistedValues(own, triggers.get(oid) ?? []) && { hasUnlistedValues: true }),
      ...(sharesPlaces(listed) && { sharesPlaces: true }),
      shadowOf: null,
      module: listed.kind === "f" ? "foreign" : null,
      rootPage: null,
    });
  });
  return freeze({ version, tables: new Map(tables.map((table) => [table.name, table])) });
}

/** A key named `rowid` that the server assigns replaces the rowid of a table that declares no key. */
const isRowidKey = (keys: readonly string[], columns: readonly ListedColumn[]): boolean =>
  keys.length === 1 &&
  keys[0] === "rowid" &&
  columns.some(({ name, identity }) => name === "rowid" && identity !== "");

const hasColumns = (columns: readonly ListedColumn[], key: ForeignKey): boolean =>
  key.columns.every((name) => columns.some((column) => column.name === name));

/** A place is one in a partition, in a table that inherits, or none for many foreign tables. */
const sharesPlaces = ({ kind, inheritingTables }: ListedTable): boolean =>
  kind === "p" || kind === "f" || inheritingTables.length > 0;

/** Null for a view that can read more than the tables that it names. */
const readsOf = ({ reads, reads_others, definition }: ListedTable): readonly string[] | null =>
  reads_others || readsCatalogue(definition ?? "") ? null : freeze(reads);

const isView = ({ kind }: ListedTable): boolean => kind === "v" || kind === "m";

function grouped<Item extends { readonly table: number }>(items: readonly Item[]): Map<number, Item[]> {
  const groups = new Map<number, Item[]>();
  for (const item of items) {
    const group = groups.get(item.table);
    if (group === undefined) groups.set(item.table, [item]);
    else group.push(item);
  }
  return groups;
}

/** The words of a text search are not data. */
const isData = ({ type }: ListedColumn): boolean => type !== "tsvector";

/** The server stores the words of a text search again if they are generated, or if its own trigger makes them. */
const hasUnlistedValues = (columns: readonly ListedColumn[], triggers: readonly ListedTrigger[]): boolean =>
  columns.some(
    (column) =>
      !isData(column) &&
      column.generated === "" &&
      !triggers.some(({ definition }) => fills(definition, column.name)),
  );

const fills = (trigger: string, column: string): boolean =>
  trigger.includes(`EXECUTE FUNCTION tsvector_update_trigger('${column}'`);

const toColumn = (column: ListedColumn, primaryKeys: readonly string[]): Column =>
  freeze({
    name: column.name,
    type: column.type,
    ...(column.base !== null && { baseType: column.base }),
    ...(column.values !== null && { enumValues: freeze(column.values) }),
    ...(column.loose && { looseCollation: true }),
    ...(!(column.values?.includes("") ?? hasEmptyText(column.base ?? column.type)) && {
      lacksEmptyText: true,
    }),
    affinity: affinityOf(column.base ?? column.type),
    notNull: column.not_null,
    ...((column.identity !== "" || column.default_sql?.startsWith("nextval(") === true) && {
      isAssigned: true,
    }),
    defaultSql: column.generated === "" ? column.default_sql : null,
    primaryKeyPosition: primaryKeys.indexOf(column.name) + 1,
    hidden: false,
    generated: column.generated === "s" ? "stored" : column.generated === "v" ? "virtual" : "no",
  });

const ACTIONS: Readonly<Record<string, string>> = {
  a: "NO ACTION",
  r: "RESTRICT",
  c: "CASCADE",
  n: "SET NULL",
  d: "SET DEFAULT",
};

type NamesOf = (oid: number, positions: readonly number[] | null) => string[];

/** What the foreign keys of a table follow from. */
interface Listing {
  readonly names: ReadonlyMap<number, string>;
  readonly columns: ReadonlyMap<number, readonly ListedColumn[]>;
  readonly constraints: ReadonlyMap<number, readonly ListedConstraint[]>;
  readonly namesOf: NamesOf;
}

/** The keys that are enforced and those that are only recorded, the last one first. */
function foreignKeysOf(
  { oid, comment }: ListedTable,
  { names, columns, constraints, namesOf }: Listing,
): readonly ForeignKey[] {
  const listed = constraints.get(oid) ?? [];
  const enforced = listed.filter(({ kind, other_table }) => kind === "f" && names.has(other_table));
  const recorded = readRecordedKeys(comment).filter((key) => hasColumns(columns.get(oid) ?? [], key));
  const keys = enforced.map((key) => toForeignKey(key, names, namesOf));
  return freeze([...keys, ...recorded.map((key) => freeze(key))].toReversed());
}

const toForeignKey = (
  key: ListedConstraint,
  names: ReadonlyMap<number, string>,
  namesOf: NamesOf,
): ForeignKey =>
  freeze({
    name: key.name,
    columns: freeze(namesOf(key.table, key.columns)),
    otherTable: names.get(key.other_table) ?? "",
    otherColumns: freeze(namesOf(key.other_table, key.other_columns)),
    onDelete: ACTIONS[key.on_delete] ?? "NO ACTION",
    onUpdate: ACTIONS[key.on_update] ?? "NO ACTION",
  });

function incomingKeys(
  outgoing: ReadonlyMap<number, readonly ForeignKey[]>,
  names: ReadonlyMap<number, string>,
): Map<string, IncomingKey[]> {
  const incoming = new Map<string, IncomingKey[]>();
  for (const [oid, keys] of outgoing) {
    const otherTable = names.get(oid) ?? "";
    for (const key of keys) {
      const arriving = freeze({ columns: key.otherColumns, otherTable, otherColumns: key.columns });
      incoming.set(key.otherTable, [...(incoming.get(key.otherTable) ?? []), arriving]);
    }
  }
  return incoming;
}

const toIndex = (index: ListedIndex, namesOf: NamesOf): Index =>
  freeze({
    name: index.name,
    unique: index.is_unique,
    origin: index.constraint_kind === "p" ? "pk" : index.constraint_kind === null ? "c" : "u",
    partial: index.partial,
    columns: freeze(
      index.columns.map((position) =>
        position === 0 ? null : (namesOf(index.table, [position])[0] ?? null),
      ),
    ),
    sql: index.definition,
    rootPage: null,
  });

/** The first column of type `tsvector`. Its generating expression names the language. */
function fullTextOf(table: string, columns: readonly ListedColumn[]): FullText | null {
  const vector = columns.find((column) => !isData(column));
  if (vector === undefined) return null;
  const [, configuration] = /to_tsvector\('([^']+)'::regconfig/.exec(vector.default_sql ?? "") ?? [];
  return freeze({
    table,
    contentTable: table,
    module: "tsvector",
    vector: vector.name,
    columns: freeze(namedIn(vector.default_sql ?? "", columns)),
    configuration: configuration ?? "simple",
  });
}

/** The columns that an expression names. Types follow `::`, functions come before a parenthesis. */
function namedIn(expression: string, columns: readonly ListedColumn[]): string[] {
  const tokens = tokenize(expression);
  const words = new Set(
    tokens
      .filter((_, index) => tokens[index - 1]?.text !== "::" && tokens[index + 1]?.text !== "(")
      .map(nameOf),
  );
  return columns.filter((column) => isData(column) && words.has(column.name)).map(({ name }) => name);
}
