import { tokenize, type Token } from "./tokens.js";

/**
 * Functions and views that untrusted SQL may not name. The role may not use most of them anyway. The others reach other
 * sessions of the role or show their SQL, change the session, or run SQL in a text.
 */
const REFUSED =
  /^(?:set_config|pg_notify|pg_(?:try_)?advisory_\w+|pg_(?:cancel|terminate)_backend|(?:query|cursor|table|schema|database)_to_xml\w*|dblink\w*|lo_\w+|lo(?:read|write)|pg_read_\w*file|pg_ls_\w+|pg_stat_file|pg_reload_conf|pg_rotate_logfile|pg_switch_wal|pg_create_\w+|pg_export_snapshot|pg_logical_\w+|pg_replication_\w+|pg_wal_replay_\w+|pg_promote|txid_current|pg_current_xact_id|ts_stat|ts_rewrite|crosstab\w*|connectby|xpath_table|nextval|setval|currval|lastval|pg_stat_activity|pg_stat_get_activity|pg_stat_get_backend_\w+|pg_stat_statements\w*)$/i;

/** Why untrusted SQL is rejected: it names such a function, or a name with escapes, which could be one. */
export function refusal(sql: string): string | null {
  const refused = tokenize(sql).map(writtenName).find(isRefused);
  return refused === undefined ? null : `Statement contained a function that is not allowed: ${refused}`;
}

/**
 * True for the query of a view, as the server writes it, that names a catalogue of the server, a function about it, or a
 * function that runs SQL in a text. These can show any table.
 */
export const readsCatalogue = (sql: string): boolean =>
  CONTAINS_ONE.test(sql) &&
  tokenize(sql)
    .map(writtenName)
    .some((name) => /^(?:pg_(?!catalog$|typeof$)|information_schema$)/i.test(name) || isRefused(name));

/**
 * Matches if a token can be such a name: the server writes its own names in lower case. The tokens of all views would take
 * long.
 */
const CONTAINS_ONE = new RegExp(`pg_|information_schema|u&"|${REFUSED.source.slice(1, -1)}`);

const isRefused = (name: string): boolean => REFUSED.test(name) || /^u&"/i.test(name);

/** A name without its double quotes, in the case in which it is written; one with escapes as it is. */
const writtenName = ({ kind, text }: Token): string => {
  if (kind !== "word" && kind !== "name") return "";
  return text.startsWith('"') ? text.slice(1, -1) : text;
};
