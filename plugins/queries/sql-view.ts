import { InvalidSql } from "rowhouse/plugin-api";
import type { Page, Visit } from "rowhouse/plugin-api";
import { requireSelect } from "./only-select.js";
import { argumentValues, askedNames, typedValues, withBlanks } from "./parameters.js";
import { answerQuery } from "./read-query.js";

/** `/:database?sql=`: a statement that anybody with `execute-sql` may write. */
export async function sqlView(visit: Visit<"database">): Promise<Page> {
  const started = performance.now();
  const { rowhouse, request, actor, target } = visit;
  const { database } = target;
  const sql = request.query.get("sql") ?? "";
  const refusal = refusalOf(sql);
  if (refusal !== null && visit.format !== "html") throw refusal;
  await rowhouse.ensure(actor, [["execute-sql", database.name]]);
  const names = askedNames(sql, undefined);
  const values = withBlanks(new Map([...argumentValues(request), ...typedValues(request)]), names);
  return answerQuery(visit, {
    database,
    canned: null,
    sql,
    names,
    shown: values,
    bound: values,
    trust: "stranger",
    private: false,
    allowExecuteSql: await rowhouse.allowed(actor, "execute-sql", database.name),
    refusal,
    started,
  });
}

function refusalOf(sql: string): InvalidSql | null {
  try {
    requireSelect(sql);
    return null;
  } catch (error) {
    if (error instanceof InvalidSql) return error;
    throw error;
  }
}
