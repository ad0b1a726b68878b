import { isObject } from "../engine/values.js";
import type { TypedColumns } from "../contracts/column-types.js";
import type { Metadata, MetadataBlock } from "../contracts/metadata.js";
import type { KeyPath } from "./key-path.js";
import type { Visit } from "../http/route.js";
import type { Database } from "../engine/database.js";
import type { Schema, Table } from "../engine/schema.js";
import { findByName, NameMap } from "../names/index.js";
import type { Rowhouse } from "../kernel/rowhouse.js";

export * from "./key-path.js";

const EMPTY: Metadata = {
  document: {},
  database: () => ({}),
  table: () => ({}),
  queries: () => ({}),
  source: "",
  placeOf: () => "",
};

/**
 * The metadata; it is empty if no plugin provides it.
 *
 * @example
 * const { title } = currentMetadata(rowhouse).table("library", "books");
 */
export const currentMetadata = (rowhouse: Rowhouse): Metadata =>
  rowhouse.serviceIfAny("metadata")?.current() ?? EMPTY;

/**
 * The types of the columns of a table as of the request; null if none has a type, or no plugin provides them.
 *
 * @example
 * const types = await columnTypesOf({ rowhouse, request }, "library", "books");
 * types?.get("homepage")?.given.type; // undefined
 */
export const columnTypesOf = async (
  { rowhouse, request }: Pick<Visit, "rowhouse" | "request">,
  database: string,
  table: string,
): Promise<TypedColumns | null> =>
  (await rowhouse.serviceIfAny("columnTypes")?.of(database, table, request.receivedMs)) ?? null;

/**
 * What belongs to the tables of a database, by their names. What is for `Notes` is for `notes` too, unless the database has
 * both tables, as PostgreSQL can.
 *
 * @example
 * const titles = byTable(rowhouse.databases, "library", [["Books", "All books"]]);
 * titles.all("books"); // ["All books"]
 */
export const byTable = <Value>(
  databases: ReadonlyMap<string, Database>,
  database: string,
  entries: Iterable<readonly [table: string, value: Value]>,
): NameMap<Value> =>
  new NameMap(entries, (...spellings) => {
    const schema = findByName(databases.values(), database)?.lastSchema;
    return spellings.every((name) => schema?.tables.has(name) === true);
  });

const PUBLISHED = ["source", "source_url", "license", "license_url"] as const;
const PAIRS = [
  ["source", "source_url"],
  ["license", "license_url"],
  ["about", "about_url"],
] as const;
const OWN = ["title", "description", "description_html"] as const;

/**
 * Source and licence of the data as JSON documents show them: those keys of the top-level metadata that are set.
 *
 * @example
 * publishedAttribution({ title: "Books", license: "CC0" }); // { license: "CC0" }
 */
export function publishedAttribution(document: MetadataBlock): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    PUBLISHED.filter((key) => isSet(document[key])).map((key) => [key, document[key]]),
  );
}

/**
 * The metadata that a page shows: its own `title`, `description` and `description_html`, and source, license and about
 * with their URLs.
 *
 * @example
 * pageMetadata({ title: "Books" }, { title: "Library", license: "CC0" }); // { title: "Books", license: "CC0" }
 * @param inherited used for each pair of text and URL of which `own` has neither, so that a text is never combined
 *   with the URL of another level
 */
export function pageMetadata(own: MetadataBlock, inherited: MetadataBlock = {}): MetadataBlock {
  const block = Object.fromEntries(OWN.filter((key) => isSet(own[key])).map((key) => [key, own[key]]));
  for (const pair of PAIRS) {
    const from = pair.some((key) => isSet(own[key])) ? own : inherited;
    for (const key of pair) if (isSet(from[key])) block[key] = from[key];
  }
  return block;
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

const SECRET_KEY = /secret|key|password|token|hash|dsn/i;
const MASK = "***";

/**
 * A copy of the block in which the secrets in `plugins` are replaced by `***` (see {@link maskSecrets}).
 *
 * @example
 * maskPlugins({ plugins: { mail: { host: "mx", password: "p" } } }); // { plugins: { mail: { host: "mx", password: "***" } } }
 */
export function maskPlugins(block: MetadataBlock): MetadataBlock {
  if (!Object.hasOwn(block, "plugins")) return block;
  return { ...block, plugins: maskSecrets(block["plugins"]) };
}

/**
 * A copy of the value in which every value under a key such as `password`, `api_key` or `token` is replaced by `***`,
 * at any depth. References such as `{"$env": "NAME"}` are kept.
 *
 * @example
 * maskSecrets({ api_key: "k", limit: 5 }); // { api_key: "***", limit: 5 }
 */
export const maskSecrets = (value: unknown): unknown => masked(value, "open");

function masked(value: unknown, mode: "open" | "secret"): unknown {
  if (Array.isArray(value)) return value.map((item) => masked(item, mode));
  // A reference such as {"$env": "NAME"} names the place of a secret, not the secret.
  if (isReference(value)) return value;
  if (!isObject(value)) return mode === "secret" && value !== null ? MASK : value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [
    key,
    masked(inner, mode === "secret" || SECRET_KEY.test(key) ? "secret" : "open"),
  ]);
  return Object.fromEntries(entries);
}

function isReference(value: unknown): boolean {
  if (!isObject(value)) return false;
  const [key, ...more] = Object.keys(value);
  return more.length === 0 && (key === "$env" || key === "$file");
}

/** Keys whose value is a column. */
const ONE_COLUMN: ReadonlySet<string> = new Set(["sort", "sort_desc", "label_column"]);
/** Keys whose value has an entry for each of some columns. */
const BY_COLUMN: ReadonlySet<string> = new Set(["columns", "units", "number_formats", "column_types"]);
/** Keys whose value is a list of columns, or of objects that name one. */
const LISTS: ReadonlySet<string> = new Set(["facets", "sortable_columns"]);

/** A column that the metadata of a table names, and where. */
export interface NamedColumn {
  /** From the block of the table: `["facets"]`. */
  readonly path: KeyPath;
  readonly column: string;
}

/**
 * The columns that the metadata block of a table names.
 *
 * @example
 * namedColumns({ sort: "year", units: { price: "EUR" } });
 * // [{ path: ["sort"], column: "year" }, { path: ["units", "price"], column: "price" }]
 */
export const namedColumns = (block: MetadataBlock): readonly NamedColumn[] =>
  Object.entries(block).flatMap(([key, value]) => {
    if (ONE_COLUMN.has(key)) return columnsIn(value).map((column) => ({ path: [key], column }));
    if (BY_COLUMN.has(key) && isObject(value))
      return Object.keys(value).map((column) => ({ path: [key, column], column }));
    return LISTS.has(key) && Array.isArray(value)
      ? value.flatMap((item) => columnsIn(item).map((column) => ({ path: [key], column })))
      : [];
  });

/** Of `"name"`, `{"array": "tags"}` and `{"array": {"column": "tags"}}`. */
function columnsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (!isObject(value)) return [];
  return Object.hasOwn(value, "column")
    ? columnsIn(value["column"])
    : Object.values(value).flatMap(columnsIn);
}

/**
 * The metadata block of a table without the parts that name hidden columns.
 *
 * @example
 * const shown = { ...table, columns: table.columns.filter(({ name }) => name !== "author") };
 * visibleMetadata({ title: "Books", sort: "author" }, schema, shown); // { title: "Books" }
 * @param schema of the database, with all columns
 * @param shown the table with only the columns that the actor may read. Entries for columns that neither of them has
 *   are kept: they are mistakes in the file, not secrets
 */
export function visibleMetadata(block: MetadataBlock, { tables }: Schema, shown: Table): MetadataBlock {
  const table = tables.get(shown.name);
  if (table === undefined || shown.columns.length === table.columns.length) return block;
  const left = new Set(shown.columns.map(({ name }) => name));
  const hidden = new Set(table.columns.flatMap(({ name }) => (left.has(name) ? [] : [name.toLowerCase()])));
  return Object.fromEntries(
    Object.entries(block).flatMap(([key, value]): [string, unknown][] => {
      if ((ONE_COLUMN.has(key) || key === "fts_pk") && mentions(value, hidden)) return [];
      if (BY_COLUMN.has(key)) return [[key, withoutKeys(value, hidden)]];
      if (LISTS.has(key) && Array.isArray(value)) {
        return [[key, value.filter((item: unknown) => !mentions(item, hidden))]];
      }
      return [[key, value]];
    }),
  );
}

/** Is the value one of these names (in lower case), or an object with one in it? */
const mentions = (value: unknown, names: ReadonlySet<string>): boolean =>
  typeof value === "object" && value !== null
    ? Object.values(value).some((item) => mentions(item, names))
    : names.has(String(value).toLowerCase());

const withoutKeys = (value: unknown, names: ReadonlySet<string>): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([key]) => !names.has(key.toLowerCase())))
    : value;
