import type { Database, Page, Visit } from "rowhouse/plugin-api";
import { Forbidden } from "rowhouse/plugin-api/errors";
import { selectError } from "./only-select.js";
import { formParameters, sentValues } from "./parameters.js";
import { answerQuery } from "./read-query.js";

/** `/:database?sql=`: runs custom SQL. Requires the `execute-sql` permission. */
export async function sqlView(visit: Visit<"database">): Promise<Page> {
  const started = performance.now();
  const { rowhouse, request, actor, target } = visit;
  const { database } = target;
  const sql = request.query.get("sql") ?? "";
  const rejection = selectError(database.dialect, sql);
  if (rejection !== null && visit.format !== "html") throw rejection;
  requireSqlOfClients(database);
  await rowhouse.permissions.require(actor, [["execute-sql", database.name]]);
  const names = formParameters(database.dialect, sql, undefined);
  const values = sentValues(request, names);
  return answerQuery(visit, {
    database,
    canned: null,
    sql,
    names,
    shown: values,
    bound: values,
    trust: "untrusted",
    allowlist: await rowhouse.service("confinement").of(actor, database),
    private: false,
    allowExecuteSql: true,
    rejection,
    started,
  });
}

/** No actor has `execute-sql` there, so a refusal that names this permission would offer a way that leads nowhere. */
function requireSqlOfClients({ name, capabilities }: Database): void {
  if (!capabilities.untrustedSql)
    throw new Forbidden(`The database ${name} runs no SQL of clients. On PostgreSQL, this needs a read_role`);
}
