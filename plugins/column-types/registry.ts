import { StartupError, type HookTable, type Rowhouse, type Services } from "rowhouse/plugin-api";
import { synchronous, type HookFunction } from "rowhouse/plugin-api/kernel";
import { PluginError } from "rowhouse/plugin-api/errors";
import { currentMetadata, keyText } from "rowhouse/plugin-api/metadata";
import { nearNames } from "rowhouse/plugin-api/names";
import type {
  ColumnType,
  GivenColumnType,
  Metadata,
  TypedColumn,
  TypedColumns,
} from "rowhouse/plugin-api/contracts";
import { ColumnTypeStore, type StoredTypes } from "./store.js";
import { pluginOf, typedColumns } from "./typed-columns.js";

type ColumnTypes = Services["columnTypes"];

const INTERNAL = "_internal";

const UNTYPED: ReadonlyMap<string, TypedColumn> = new Map();

/** The resolved types of tables. Valid for one metadata document and one state of the stored types. */
interface Resolved {
  readonly document: unknown;
  readonly stored: StoredTypes | null;
  /** Only tables that have types. */
  readonly tables: Map<string, TypedColumns>;
}

/** The types of all columns: those of the metadata, overridden by those that were set. */
export class Registry implements ColumnTypes {
  readonly #rowhouse: Rowhouse;
  readonly #known = new Map<string, ColumnType>();
  #store: ColumnTypeStore | null = null;
  #resolved: Resolved = { document: null, stored: null, tables: new Map() };

  constructor(rowhouse: Rowhouse) {
    this.#rowhouse = rowhouse;
  }

  get known(): ReadonlyMap<string, ColumnType> {
    return this.#known;
  }

  get store(): ColumnTypeStore | null {
    return this.#store;
  }

  get keeps(): boolean {
    return this.#store !== null;
  }

  /** @throws StartupError for an unknown type in the metadata */
  async start(): Promise<void> {
    const rowhouse = this.#rowhouse;
    const types = await rowhouse.hooks.register_column_types.promise([], rowhouse, {});
    // Types of installed plugins come first.
    for (const type of types) if (!this.#known.has(type.name)) this.#known.set(type.name, type);
    this.#checkMetadata();
    const internal = rowhouse.databases.get(INTERNAL);
    if (rowhouse.option("internal") === undefined || internal === undefined) return;
    this.#store = await ColumnTypeStore.open(internal);
  }

  /** @throws PluginError if the type fails to check its configuration */
  mistakeIn({ type, config }: GivenColumnType): string | null {
    const is = this.#known.get(type);
    if (is === undefined) return unknownType(type, this.#known);
    if (config === null) return null;
    try {
      const complaint = complaintAbout(config, is);
      return complaint === null ? null : `the config of column type ${type} ${complaint}`;
    } catch (error) {
      throw new PluginError(pluginOf(this.#rowhouse, is), "register_column_types", error);
    }
  }

  async of(database: string, table: string, sinceMs?: number): Promise<TypedColumns | null> {
    const stored = (await this.#store?.current(sinceMs)) ?? null;
    const { tables } = this.#resolvedFor(stored);
    const key = `${database.length} ${database} ${table}`;
    const known = tables.get(key);
    if (known !== undefined) return known;
    const columns = this.#columnsOf(database, table, stored);
    if (columns.size === 0) return null;
    const typed = typedColumns(this.#rowhouse, { database, table, columns });
    tables.set(key, typed);
    return typed;
  }

  async edition(sinceMs?: number): Promise<string> {
    return (await this.#store?.current(sinceMs))?.edition ?? "";
  }

  async set(
    column: readonly [database: string, table: string, column: string],
    given: GivenColumnType | null,
  ): Promise<void> {
    await this.#writable().set(column, given);
  }

  async move(
    column: readonly [database: string, table: string, column: string],
    to: string | null,
  ): Promise<void> {
    await this.#writable().move(column, to);
  }

  /** Moves the types of a renamed table to its new name, and deletes those of a dropped table. */
  readonly followTable: HookFunction<HookTable["track_event"]> = async (_rowhouse, { event }) => {
    if (this.#store === null) return;
    if (event.name === "rename-table") {
      await this.#store.rename(event.database, event.old_table, event.new_table);
    }
    if (event.name === "drop-table") await this.#store.forget(event.database, event.table);
  };

  #writable(): ColumnTypeStore {
    if (this.#store === null) throw new Error("There is no file to keep column types in");
    return this.#store;
  }

  #resolvedFor(stored: StoredTypes | null): Resolved {
    const document = currentMetadata(this.#rowhouse).document;
    if (this.#resolved.document !== document || this.#resolved.stored !== stored) {
      this.#resolved = { document, stored, tables: new Map() };
    }
    return this.#resolved;
  }

  #columnsOf(database: string, table: string, stored: StoredTypes | null): ReadonlyMap<string, TypedColumn> {
    const written = metadataTypes(currentMetadata(this.#rowhouse), database, table);
    const set = stored?.of(database, table) ?? null;
    if (written.length === 0 && set === null) return UNTYPED;
    const given = new Map<string, GivenColumnType | null>(
      written.map(([column, one]) => [column.toLowerCase(), one]),
    );
    for (const [column, one] of set ?? []) given.set(column, one);
    return new Map([...given].flatMap(([column, one]) => this.#typed(column, one)));
  }

  /** A stored type that is no longer registered is ignored. */
  #typed(column: string, given: GivenColumnType | null): readonly [string, TypedColumn][] {
    const is = given === null ? undefined : this.#known.get(given.type);
    return is === undefined || given === null ? [] : [[column, { given, is }]];
  }

  #checkMetadata(): void {
    const metadata = currentMetadata(this.#rowhouse);
    for (const [database, table] of describedTables(metadata)) {
      for (const [column, given] of metadataTypes(metadata, database, table)) {
        const mistake = this.mistakeIn(given);
        if (mistake === null) continue;
        const path = ["databases", database, "tables", table, "column_types", column];
        throw new StartupError(`${metadata.placeOf(path)}: ${keyText(path)}: ${mistake}`);
      }
    }
  }
}

/** `email`, or `{"type": "email", "config": ...}`; null for anything else. */
function givenType(value: unknown): GivenColumnType | null {
  if (typeof value === "string") return { type: value, config: null };
  if (typeof value !== "object" || value === null) return null;
  const { type, config = null } = value as { readonly type?: unknown; readonly config?: unknown };
  return typeof type === "string" ? { type, config } : null;
}

function unknownType(type: string, known: ReadonlyMap<string, ColumnType>): string {
  const [near] = nearNames(type, known.keys(), 1);
  const advice = near === undefined ? `known are ${[...known.keys()].join(", ")}` : `did you mean ${near}?`;
  return `unknown column type ${type}, ${advice}`;
}

const complaintAbout = (config: unknown, is: ColumnType): string | null =>
  is.checkConfig === undefined
    ? "is not wanted: it takes none"
    : (synchronous(is.checkConfig(config), `checkConfig of the column type ${is.name}`) ?? null);

/** The types that the metadata gives the columns of a table, by column. */
function metadataTypes(
  metadata: Metadata,
  database: string,
  table: string,
): readonly (readonly [column: string, given: GivenColumnType])[] {
  const block = metadata.table(database, table)["column_types"];
  if (typeof block !== "object" || block === null) return [];
  return Object.entries(block).flatMap(([column, value]) => {
    const given = givenType(value);
    return given === null ? [] : [[column, given] as const];
  });
}

/** All tables with a block in the metadata. */
function describedTables(metadata: Metadata): readonly (readonly [database: string, table: string])[] {
  return entriesOf(metadata.document["databases"]).flatMap(([database, block]) =>
    entriesOf((block as { readonly tables?: unknown } | null)?.tables).map(
      ([table]) => [database, table] as const,
    ),
  );
}

const entriesOf = (value: unknown): readonly [string, unknown][] =>
  typeof value === "object" && value !== null ? Object.entries(value) : [];
