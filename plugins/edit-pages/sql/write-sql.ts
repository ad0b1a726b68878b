import { html, NotFound, type Reply, type Visit } from "rowhouse/plugin-api";
import { findsTables } from "rowhouse/plugin-api/engine";
import { withMarkup } from "rowhouse/plugin-api/html";
import { withQuery } from "rowhouse/plugin-api/http";
import { isWord, meaningful, sqlTokens } from "rowhouse/plugin-api/sql";
import { callApi, type Answer } from "../api.js";
import { formOf, requireWrite, type EditPage } from "../page.js";
import { tOf } from "../texts.js";
import { outcomeOf } from "./outcome.js";
import { sqlForm } from "./sql-form.js";
import { NO_STATEMENT, typedStatement, type TypedStatement } from "./statement.js";

type DatabaseVisit = Visit<"database">;

/** A field for SQL that changes rows. @throws Forbidden, NotFound */
export async function writeSqlForm(visit: DatabaseVisit): Promise<Reply> {
  await requireWritingSql(visit);
  return sqlForm(visit, NO_STATEMENT);
}

/** Runs the statement, or tries it, as a form does that is submitted by a key. @throws Forbidden, NotFound */
export async function writeSqlSubmit(visit: DatabaseVisit): Promise<Reply> {
  await requireWritingSql(visit);
  const { rowhouse, target } = visit;
  const t = tOf(visit);
  const submitted = await formOf(visit);
  const typed = typedStatement(target.database, submitted);
  const { sql, values, isIncomplete } = typed;
  if (sql.trim() === "") return sqlForm(visit, typed, { notice: t("write_sql.empty") });
  if (isIncomplete)
    return sqlForm(visit, typed, {
      outcome: html`<p class="message message-info" role="status">${t("write_sql.fill_in")}</p>`,
    });
  const answer = await callApi(visit, `${rowhouse.urls.database(target.database.name)}/-/execute-write`, {
    sql,
    params: values,
    dry_run: submitted.get("action") !== "run",
  });
  if (!answer.ok) return sqlForm(visit, typed, await refusalOf(visit, typed, answer));
  const { message, details } = outcomeOf(visit, answer);
  return sqlForm(visit, typed, { outcome: message, more: details });
}

async function requireWritingSql(visit: DatabaseVisit): Promise<void> {
  const { database } = visit.target;
  await requireWrite(visit, "execute-write-sql");
  // The write API refuses all statements then.
  if (!(await findsTables(database)))
    throw new NotFound("SQL that changes rows can't be run in databases of this kind");
}

/** A statement that only reads leads to the page for these. */
async function refusalOf(
  visit: DatabaseVisit,
  { sql, values }: TypedStatement,
  { errors }: Answer,
): Promise<Pick<EditPage, "errors" | "notice">> {
  const { rowhouse, actor, target } = visit;
  const { name } = target.database;
  if (!isSelect(sql) || !(await rowhouse.permissions.allowed(actor, "execute-sql", name))) return { errors };
  const t = tOf(visit);
  const link = withQuery(rowhouse.urls.database(name), [["sql", sql], ...values]);
  return {
    notice: withMarkup(t("write_sql.only_reads"), {
      link: html`<a href="${link}">${t("write_sql.page_for_reading")}</a>`,
    }),
  };
}

const VERBS: ReadonlySet<string> = new Set(["select", "values", "insert", "replace", "update", "delete"]);

/**
 * True for a SELECT, also one after WITH. Decided by its words: to compile a statement could reveal whether a hidden
 * table exists.
 */
function isSelect(sql: string): boolean {
  const [first, ...others] = meaningful(sqlTokens(sql));
  if (!isWord(first, "with")) return isWord(first, "select");
  let depth = 0;
  for (const { text } of others) {
    if (text === "(") depth += 1;
    if (text === ")") depth -= 1;
    const verb = text.toLowerCase();
    if (depth === 0 && VERBS.has(verb)) return verb === "select" || verb === "values";
  }
  return false;
}
