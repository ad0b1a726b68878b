import { meaningful, tokenize, type Token } from "./tokens.js";

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** Words before a parenthesis that call no function: keywords, and types with a length. */
const NO_CALLS = words(
  "all and any array as between bit by case char character decimal distinct else except exists filter float from group " +
    "having in intersect interval is join lateral like limit materialized not numeric offset on or order over partition " +
    "row select similar some then to union using values varbit varchar varying when where with within",
);

/** Functions that return the same for the same arguments in each session of a role. */
const CERTAIN_CALLS = words(
  "abs array_agg array_length array_position array_remove array_to_string array_upper ascii avg bit_and bit_length bit_or " +
    "bool_and bool_or btrim cardinality cast cbrt ceil ceiling char_length character_length chr coalesce concat concat_ws " +
    "corr count covar_pop covar_samp cume_dist date_part date_trunc decode degrees dense_rank div encode every exp extract " +
    "factorial first_value floor format gcd generate_series greatest initcap json_agg json_array_elements " +
    "json_array_elements_text json_array_length json_build_array json_build_object json_each json_each_text json_object_agg " +
    "json_object_keys json_typeof jsonb_agg jsonb_array_elements jsonb_array_elements_text jsonb_array_length " +
    "jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text jsonb_object_agg jsonb_object_keys jsonb_typeof lag " +
    "last_value lcm lead least left length ln log lower lpad ltrim make_date max md5 min mod mode nth_value ntile nullif " +
    "octet_length overlay percent_rank percentile_cont percentile_disc pi position power radians rank regexp_count " +
    "regexp_match regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr repeat replace " +
    "reverse right round row_number row_to_json rpad rtrim sign split_part sqrt starts_with stddev stddev_pop stddev_samp " +
    "string_agg string_to_array strpos substr substring sum to_char to_date to_json to_jsonb to_number translate trim trunc " +
    "unnest upper var_pop var_samp variance width_bucket",
);

/** Functions that are called without parentheses, catalogues, and samples of rows. */
const VARYING = words(
  "current_catalog current_date current_role current_schema current_time current_timestamp current_user information_schema " +
    "localtime localtimestamp session_user system_user tablesample user",
);

/**
 * True if SQL calls only functions that are known to depend on their arguments alone, and reads no catalogue. Dates such as
 * `'today'` and texts with escapes, which could be one, count as functions.
 */
export function isDeterministic(sql: string): boolean {
  const tokens = meaningful(tokenize(sql));
  return tokens.every((token, index) => isCertain(token, tokens[index + 1]?.text === "("));
}

function isCertain({ kind, text }: Token, isCall: boolean): boolean {
  switch (kind) {
    case "word": {
      const word = text.toLowerCase();
      if (isCall) return NO_CALLS.has(word) || CERTAIN_CALLS.has(word);
      return !VARYING.has(word) && !word.startsWith("pg_");
    }
    case "name":
      return !isCall && text.startsWith('"') && !text.startsWith('"pg_') && text !== '"information_schema"';
    case "text":
      return text.startsWith("'") && !/now|today|tomorrow|yesterday/i.test(text);
    default:
      return true;
  }
}
