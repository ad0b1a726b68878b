/** The words of the SQL of an engine. */
export interface SqlWords {
  readonly keywords: readonly string[];
  readonly functions: readonly string[];
  readonly types: readonly string[];
}

/** The words that are coloured as keywords and offered for completion: those of statements that read. */
const KEYWORDS: readonly string[] = (
  "all and as asc between by case cast collate cross current_date current_time current_timestamp desc distinct " +
  "else end escape except exclude exists explain filter first following from full glob group groups having in " +
  "indexed inner intersect is isnull join last left like limit match materialized natural not notnull null nulls " +
  "offset on or order others outer over partition plan preceding query range recursive regexp right rows select " +
  "then ties unbounded union using values when where window with"
).split(" ");

/** Those of statements that write, without functions. */
const WRITE_KEYWORDS: readonly string[] =
  "abort conflict default delete do fail ignore insert into nothing returning rollback set update".split(" ");

interface FieldWithData {
  readonly dataset: Readonly<Record<string, string | undefined>>;
}

/** The keywords of SQLite for a field. Fields for statements that write have `data-writes`. */
export const keywordsFor = ({ dataset }: FieldWithData): readonly string[] =>
  dataset["writes"] === undefined ? KEYWORDS : [...KEYWORDS, ...WRITE_KEYWORDS];

/** The types in `cast` and declarations. */
export const TYPES: readonly string[] = "blob integer numeric real text".split(" ");

/** The functions of the bundled SQLite, without those that are operators or keywords as well. */
export const FUNCTIONS: readonly string[] = // Of single values
  (
    "abs changes char coalesce concat concat_ws format hex ifnull iif instr last_insert_rowid length lower ltrim max " +
    "min nullif octet_length printf quote random randomblob replace round rtrim sign sqlite_version substr " +
    "substring total_changes trim typeof unhex unicode upper zeroblob " +
    // Of days and times
    "date datetime julianday strftime time timediff unixepoch " +
    // Of groups and windows
    "avg count group_concat string_agg sum total cume_dist dense_rank first_value lag last_value lead nth_value ntile " +
    "percent_rank rank row_number " +
    // Of numbers
    "acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10 log2 mod pi pow " +
    "power radians sin sinh sqrt tan tanh trunc " +
    // Of JSON and full text
    "json json_array json_array_length json_each json_extract json_group_array json_group_object json_insert " +
    "json_object json_patch json_pretty json_quote json_remove json_replace json_set json_tree json_type json_valid " +
    "bm25 highlight snippet"
  ).split(" ");
