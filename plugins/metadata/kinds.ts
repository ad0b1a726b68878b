import { isObject, type MetadataBlock } from "rowhouse/plugin-api";

/** The type of a value in the metadata. */
export interface Kind {
  /** The end of the message: `must be text`. */
  readonly says: string;
  accepts(value: unknown): boolean;
  /** The accepted value in the type that plugins expect. Default: as it is written. */
  typed?(value: unknown): unknown;
}

// YAML parses titles such as `2024` or `true` as numbers and booleans.
const isText = (value: unknown): boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

const isWhole = (value: unknown): boolean =>
  (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) ||
  (typeof value === "string" && /^\d+$/.test(value));

const text: Kind = { says: "must be text", accepts: isText, typed: String };

const flag: Kind = {
  says: "must be true or false",
  accepts: (value) => typeof value === "boolean" || value === 0 || value === 1,
  typed: Boolean,
};

const size: Kind = {
  says: 'must be a whole number or "max"',
  accepts: (value) => value === "max" || isWhole(value),
};

/** The configuration file has `plugins` too, where `false` switches a plugin off. Here it would have no effect. */
const configByPlugin: Kind = {
  says: "must be an object by plugin, without false: only the configuration file switches plugins off",
  accepts: (value) => isObject(value) && !Object.values(value).includes(false),
};

const textByColumn: Kind = {
  says: "must be an object of texts by column",
  accepts: (value) =>
    isObject(value) && Object.values(value).every((inner) => inner === null || isText(inner)),
  typed: (value: object) =>
    Object.fromEntries(
      Object.entries(value).map(([column, inner]) => [column, inner === null ? null : String(inner)]),
    ),
};

const typeByColumn: Kind = {
  says: "must be an object of column types by column, each a name or an object such as {type: email}",
  accepts: (value) =>
    isObject(value) &&
    Object.values(value).every(
      (inner) => typeof inner === "string" || (isObject(inner) && typeof inner["type"] === "string"),
    ),
};

const formatByColumn: Kind = {
  says: "must be an object by column, each with decimals (0 to 20), grouping (true or false), or both",
  accepts: (value) =>
    isObject(value) &&
    Object.values(value).every(
      (inner) =>
        isObject(inner) &&
        Object.entries(inner).every(([key, one]) =>
          key === "decimals"
            ? isWhole(one) && typeof one === "number" && one <= 20
            : key === "grouping" && typeof one === "boolean",
        ),
    ),
};

const texts: Kind = {
  says: "must be a list of texts",
  accepts: (value) => Array.isArray(value) && value.every(isText),
  typed: (value: readonly unknown[]) => value.map(String),
};

const names: Kind = { ...texts, says: "must be a list of column names" };

const parameters: Kind = {
  says: "must be a list of parameter names",
  accepts: (value) => Array.isArray(value) && value.every((name) => typeof name === "string"),
};

const assets: Kind = {
  says: "must be a list of addresses, or of objects with the key url",
  accepts: (value) =>
    Array.isArray(value) &&
    value.every((one) => typeof one === "string" || (isObject(one) && typeof one["url"] === "string")),
};

const facets: Kind = {
  says: "must be a list of columns, or of objects such as {array: column}",
  accepts: (value) => Array.isArray(value) && value.every(isFacet),
  typed: (value: readonly unknown[]) => value.map(typedFacet),
};

const isFacet = (facet: unknown): boolean => {
  if (!isObject(facet)) return isText(facet);
  const columns = Object.values(facet);
  return columns.length === 1 && columns.every((one) => isText(isObject(one) ? one["column"] : one));
};

/** The facet with its column as text. */
function typedFacet(facet: unknown): unknown {
  if (!isObject(facet)) return String(facet);
  const columns = Object.entries(facet).map(([type, one]) => [
    type,
    isObject(one) ? { ...one, column: String(one["column"]) } : String(one),
  ]);
  return Object.fromEntries(columns) as object;
}

type Keys = Readonly<Record<string, Kind>>;

const everywhere: Keys = {
  title: text,
  description: text,
  description_html: text,
  license: text,
  license_url: text,
  source: text,
  source_url: text,
  about: text,
  about_url: text,
};

/** The keys of each level. Other keys, such as those about permissions, belong to other plugins. */
export const keysOf = {
  instance: {
    ...everywhere,
    plugins: configByPlugin,
    extra_css_urls: assets,
    extra_js_urls: assets,
    custom_units: texts,
  },
  database: { ...everywhere, plugins: configByPlugin },
  table: {
    ...everywhere,
    plugins: configByPlugin,
    columns: textByColumn,
    units: textByColumn,
    number_formats: formatByColumn,
    column_types: typeByColumn,
    sort: text,
    sort_desc: text,
    size,
    sortable_columns: names,
    label_column: text,
    hidden: flag,
    facets,
    facet_size: size,
    fts_table: text,
    fts_pk: text,
    searchmode: text,
  },
  query: {
    ...everywhere,
    sql: { says: "must be an SQL string", accepts: (value) => typeof value === "string" },
    params: parameters,
    hide_sql: flag,
    fragment: text,
    write: flag,
    unscoped: flag,
    number_formats: formatByColumn,
    on_success_message: text,
    on_success_redirect: text,
    on_error_message: text,
    on_error_redirect: text,
  },
} as const satisfies Readonly<Record<string, Keys>>;

export type Level = keyof typeof keysOf;

/** The block with texts and flags in these types: YAML parses the column name `2020` as a number. */
export function typedBlock(level: Level, block: MetadataBlock): MetadataBlock {
  const kinds: Readonly<Record<string, Kind>> = keysOf[level];
  const entries = Object.entries(block).map(([key, value]) => {
    const kind = Object.hasOwn(kinds, key) ? kinds[key] : undefined;
    return [key, kind?.typed !== undefined && kind.accepts(value) ? kind.typed(value) : value];
  });
  return Object.fromEntries(entries) as MetadataBlock;
}
