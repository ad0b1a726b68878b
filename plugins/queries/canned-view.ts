import { LazyPage } from "rowhouse/plugin-api/http";
import { currentMetadata, publishedAttribution } from "rowhouse/plugin-api/metadata";
import type { Page, Visit } from "rowhouse/plugin-api";
import { withMagicValues } from "./magic-parameters.js";
import { formParameters, sentValues, type Values } from "./parameters.js";
import { editorFacts, queryContext } from "./query-context.js";
import { answerQuery, NO_ROWS } from "./read-query.js";

/** Page of a canned query: the result of a reading query, or the form of a writing query. */
export async function cannedView(visit: Visit<"query">): Promise<Page> {
  const started = performance.now();
  const { rowhouse, request, actor, target } = visit;
  const { database, query } = target;
  const names = formParameters(database.dialect, query.sql, query.params);
  const shown = sentValues(request, names);
  const allowExecuteSql = await rowhouse.permissions.allowed(actor, "execute-sql", database.name);
  const form: Form = { names, shown, allowExecuteSql, started };
  if (query.write === true) return writeForm(visit, form);
  return answerQuery(visit, {
    ...form,
    database,
    canned: query,
    sql: query.sql,
    bound: await withMagicValues(rowhouse, {
      request,
      actor,
      dialect: database.dialect,
      sql: query.sql,
      values: shown,
    }),
    trust: "trusted",
    allowlist: await rowhouse.service("confinement").ofQuery(actor, database, query),
    private: visit.private,
    rejection: null,
  });
}

interface Form {
  readonly names: readonly string[];
  readonly shown: Values;
  readonly allowExecuteSql: boolean;
  readonly started: number;
}

/** The form of a writing query. A GET request executes nothing. */
async function writeForm(visit: Visit<"query">, form: Form): Promise<Page> {
  const { rowhouse, target } = visit;
  const { database, query } = target;
  const { names, shown: values, allowExecuteSql } = form;
  const facts = {
    kind: "write",
    database,
    canned: query,
    sql: query.sql,
    names,
    values,
    allowExecuteSql,
  } as const;
  const editor = await editorFacts(visit, database, allowExecuteSql);
  const data = {
    database: database.name,
    rows: null,
    truncated: false,
    columns: [],
    query: { sql: query.sql, params: form.shown },
    private: visit.private,
    query_ms: performance.now() - form.started,
    ...publishedAttribution(currentMetadata(rowhouse).document),
  };
  const page = { name: "query", data, rows: NO_ROWS };
  return new LazyPage(page, () => ({ ...queryContext(visit, { ...facts, error: null }, editor) }));
}
