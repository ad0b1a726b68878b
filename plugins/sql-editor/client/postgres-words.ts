import type { SqlWords } from "./sql-words.js";

/** The words of PostgreSQL that belong into statements that read. */
export const POSTGRES: SqlWords = {
  keywords: (
    "all and any array as asc asymmetric between both by case cast collate cross current_date current_time " +
    "current_timestamp desc distinct else end except exists extract false fetch filter first following for from full " +
    "group grouping groups having ilike in inner intersect interval into is isnull join last lateral leading left like " +
    "limit localtime localtimestamp materialized natural next not notnull null nulls offset on only or order ordinality " +
    "others outer over overlaps partition position preceding range recursive right rollup row rows select sets similar " +
    "some symmetric tablesample then ties to trailing true unbounded union unknown using values when where window with " +
    "within without zone"
  ).split(" "),
  types: (
    "bigint boolean bytea char cidr date double float8 inet int4 int8 integer json jsonb macaddr money numeric " +
    "precision real smallint text time timestamp timestamptz timetz uuid varchar xml"
  ).split(" "),
  // Of single values
  functions: (
    "abs ascii btrim cbrt ceil ceiling char_length chr coalesce concat concat_ws decode degrees div encode exp floor " +
    "format gcd gen_random_uuid greatest initcap lcm least left length ln log log10 lower lpad ltrim md5 mod nullif " +
    "octet_length overlay pi pow power quote_ident quote_literal radians random regexp_count regexp_match regexp_matches " +
    "regexp_replace regexp_split_to_array regexp_split_to_table repeat replace reverse right round rpad rtrim sha256 " +
    "sign split_part sqrt starts_with string_to_array string_to_table strpos substr substring to_hex translate trim " +
    "trunc unistr upper width_bucket acos asin atan atan2 cos cot sin tan " +
    // Of days and times
    "age clock_timestamp date_bin date_part date_trunc isfinite justify_days justify_hours justify_interval make_date " +
    "make_interval make_time make_timestamp make_timestamptz now statement_timestamp to_char to_date to_number " +
    "to_timestamp transaction_timestamp " +
    // Of groups and windows
    "array_agg avg bit_and bit_or bool_and bool_or corr count covar_pop covar_samp every json_agg json_object_agg " +
    "jsonb_agg jsonb_object_agg max min mode percentile_cont percentile_disc regr_slope stddev stddev_pop stddev_samp " +
    "string_agg sum var_pop var_samp variance cume_dist dense_rank first_value lag last_value lead nth_value ntile " +
    "percent_rank rank row_number " +
    // Of arrays, JSON and full text
    "array_append array_cat array_length array_position array_prepend array_remove array_replace array_to_string " +
    "cardinality unnest generate_series generate_subscripts json_array_elements json_array_length json_build_array " +
    "json_build_object json_each json_each_text json_extract_path json_object_keys json_typeof jsonb_array_elements " +
    "jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text jsonb_extract_path " +
    "jsonb_object_keys jsonb_path_exists jsonb_path_query jsonb_pretty jsonb_set jsonb_typeof row_to_json to_json " +
    "to_jsonb plainto_tsquery phraseto_tsquery to_tsquery to_tsvector ts_headline ts_rank websearch_to_tsquery version"
  ).split(" "),
};
