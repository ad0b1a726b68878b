import type { Parameter } from "./openapi.js";

const TEXT = { type: "string" };
const ON = { type: "string", enum: ["on"] };
const COUNT = { type: "integer", minimum: 0 };

const argument = (name: string, description: string, schema: Parameter["schema"] = TEXT): Parameter => ({
  name,
  in: "query",
  description,
  schema,
});

/** Several values of one argument: `_col=a&_col=b`. */
const repeated = (items: Parameter["schema"]): Parameter["schema"] => ({ type: "array", items });

/** Arguments of every document with rows, by the name of their component. */
export const rowArguments: Readonly<Record<string, Parameter>> = {
  shape: argument("_shape", "How rows appear", {
    type: "string",
    enum: ["arrays", "objects", "array", "arrayfirst", "object"],
    default: "arrays",
  }),
  nl: argument("_nl", "With _shape=array: one object a line", ON),
  extra: argument("_extra", "The small document, with the keys named here: extras lists them"),
  json: argument("_json", "Columns whose text is JSON", repeated(TEXT)),
  jsonInfinity: argument("_json_infinity", "Infinities as the word Infinity, which is not JSON", {
    type: "string",
    enum: ["on", "off"],
  }),
  bigint: argument("_bigint", "Integers beyond 2^53 as text", { type: "string", enum: ["text"] }),
  ttl: argument("_ttl", "Seconds that caches may keep the answer", COUNT),
  timelimit: argument(
    "_timelimit",
    "Milliseconds that the query may take, at most the server's own limit",
    COUNT,
  ),
};

/** The same for results that can be streamed. */
export const streamArgument: Readonly<Record<string, Parameter>> = {
  stream: argument("_stream", "With _shape=array&_nl=on: every row, page limits aside", ON),
};

/** Arguments of tables and views. */
export const tableArguments: Readonly<Record<string, Parameter>> = {
  size: argument("_size", "Rows of a page, or max", { anyOf: [COUNT, { const: "max" }] }),
  next: argument("_next", "The key `next` of the previous page"),
  nocount: argument("_nocount", "Spare counting the rows", ON),
  facetArray: argument(
    "_facet_array",
    "Columns of JSON lists whose elements are to be counted",
    repeated(TEXT),
  ),
  facetDate: argument("_facet_date", "Columns of timestamps whose days are to be counted", repeated(TEXT)),
  facetSize: argument("_facet_size", "Values of a facet, or max", { anyOf: [COUNT, { const: "max" }] }),
  nofacet: argument("_nofacet", "Leave out facets", ON),
  nosuggest: argument("_nosuggest", "Suggest no facets", ON),
  labels: argument("_labels", "Foreign keys with the labels of what they point at", ON),
  label: argument("_label", "The same for these columns only", repeated(TEXT)),
  filters: {
    name: "_filters",
    in: "query",
    description:
      "Any filter by its name: `year__gte`, `title__contains`, `author_id__in`. Sent as arguments of these names.",
    style: "form",
    explode: true,
    schema: { type: "object", additionalProperties: { type: "string" } },
  },
};

/** Arguments of exports. Those of the table are added as `_filters`. */
export const csvArguments: Readonly<Record<string, Parameter>> = {
  header: argument("_header", "Without the line of names", { type: "string", enum: ["off"] }),
  dl: argument("_dl", "As a file to be saved", ON),
  csvStream: argument("_stream", "Every row, page limits aside", ON),
  ...pick(tableArguments, "size", "next", "labels", "label", "filters"),
};

function pick(from: Readonly<Record<string, Parameter>>, ...names: readonly string[]) {
  return Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));
}

export const whereArgument: Readonly<Record<string, Parameter>> = {
  where: argument("_where", "A condition in SQL", repeated(TEXT)),
};

export const searchArgument: Readonly<Record<string, Parameter>> = {
  search: argument("_search", "Words to look for"),
};

export const orderArgument: Readonly<Record<string, Parameter>> = {
  order: argument(
    "_order",
    "Order by several columns: `year,-price`, with `-` for descending; names are tilde-encoded",
  ),
};

/** Arguments that group rows. */
export const groupArguments: Readonly<Record<string, Parameter>> = {
  group: argument(
    "_group",
    "Groups of rows: columns, steps of dates and intervals of numbers, `genre_id,date(added,month),interval(price,10)`",
  ),
  inGroup: argument(
    "_in_group",
    "The rows of a group: the term of `_group` and its value, `interval(price,10):20`",
  ),
  agg: argument("_agg", "Values of each group: `count,sum(price),count(distinct author_id)`"),
};

/** Arguments of completions. */
export const autocompleteArguments: Readonly<Record<string, Parameter>> = {
  q: argument("q", "What is typed"),
  completions: argument("_size", "Most matches, at most 100", COUNT),
};

/** Headers of writes. */
export const writeHeaders: Readonly<Record<string, Parameter>> = {
  idempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description: "A write that is sent again under its key is not done again; its answer is",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  },
};

/** All parameters as components. */
export const parameterComponents: Readonly<Record<string, Parameter>> = {
  ...rowArguments,
  ...streamArgument,
  ...tableArguments,
  ...csvArguments,
  ...whereArgument,
  ...searchArgument,
  ...orderArgument,
  ...groupArguments,
  ...autocompleteArguments,
  ...writeHeaders,
};
