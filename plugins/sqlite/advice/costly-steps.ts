import { quoteIdentifier, type Schema } from "rowhouse/plugin-api";
import type { CostlyStep } from "rowhouse/plugin-api/engine";
import { missingIndex } from "rowhouse/plugin-api/sql";
import { singleStatement } from "../sql/statement.js";
import { readScopes } from "./select-scopes.js";
import { ascending, suggestIndex, usedTables, type UsedTable } from "./suggest-index.js";

/** Tables with fewer rows are read in less than a millisecond. */
const FEW_ROWS = 1_000;

/** The means to find out about a statement, as one caller may use them. */
export interface PlanReader {
  readonly schema: Schema;
  /** The column `detail` of EXPLAIN QUERY PLAN, with the rights of the statement. */
  plan(sql: string): Promise<readonly string[]>;
  /** Runs a trusted statement. True if it has a row. */
  hasRow(sql: string): Promise<boolean>;
}

/** The scans and sorts of a statement on tables with many rows, with indexes that could replace them. */
export async function costlySteps(sql: string, reader: PlanReader): Promise<readonly CostlyStep[]> {
  const statement = singleStatement(sql);
  if (statement.verb === "explain" || statement.verb === "pragma") return [];
  const { schema } = reader;
  const used = usedTables(readScopes(statement.tokens), schema);
  const details = await reader.plan(`explain query plan ${statement.sql}`);
  const large = new Set<string>();
  for (const name of new Set(details.flatMap((detail) => tableOf(detail, used, schema) ?? []))) {
    if (await reader.hasRow(`select 1 from ${quoteIdentifier(name)} limit 1 offset ${FEW_ROWS - 1}`))
      large.add(name);
  }
  if (large.size === 0) return [];
  return details.flatMap((detail) => {
    const step = scanStep(detail, used, schema) ?? sortStep(detail, used, schema);
    return step === null || (step.table !== null && !large.has(step.table)) ? [] : [step];
  });
}

/** `SCAN b`, `SEARCH b USING INDEX i (a=?)`: the names of tables are those of their aliases. */
const STEP = /^(SCAN|SEARCH) ([^]+?)(?: USING ([^]*)| VIRTUAL TABLE[^]*| (?:LEFT|RIGHT)-JOIN)?$/;
/** An index that SQLite builds for one run of the statement. */
const AUTOMATIC = /^AUTOMATIC (?:PARTIAL )?COVERING INDEX \((.+)\)/;
const SORT = /^USE (?:TEMP B-TREE|SORTER) FOR (.*)$/;

/** The table of a step; null for subqueries and table-valued functions. */
function tableOf(detail: string, used: readonly UsedTable[], schema: Schema): string | null {
  if (detail.includes(" VIRTUAL TABLE ")) return null;
  const alias = STEP.exec(detail)?.[2];
  if (alias === undefined) return null;
  return usedAs(used, alias)?.table.name ?? named(schema, alias);
}

const usedAs = (used: readonly UsedTable[], alias: string): UsedTable | undefined =>
  used.find(({ source, table }) => source.alias === alias && table.kind === "table");

/** A table inside of a view, which the statement itself does not name. */
const named = ({ tables }: Schema, name: string): string | null =>
  tables.get(name)?.kind === "table" ? name : null;

function scanStep(detail: string, used: readonly UsedTable[], schema: Schema): CostlyStep | null {
  const [, verb = "", alias = "", using = ""] = STEP.exec(detail) ?? [];
  const name = tableOf(detail, used, schema);
  if (name === null) return null;
  const [, condition = null] = AUTOMATIC.exec(using) ?? [];
  if (verb === "SEARCH" && condition === null) return null;
  // SQLite reads the table in the order of an index, so that it need not sort.
  if (verb === "SCAN" && using.startsWith("INDEX ")) return null;
  const index = condition === null ? ownIndex(schema, used, alias) : automaticIndex(schema, name, condition);
  return { kind: "scan", table: name, purpose: null, index };
}

function ownIndex(schema: Schema, used: readonly UsedTable[], alias: string): CostlyStep["index"] {
  const own = usedAs(used, alias);
  return own === undefined ? null : suggestIndex(schema, own);
}

/** The index that SQLite builds itself is the one to create. */
function automaticIndex(schema: Schema, table: string, condition: string): CostlyStep["index"] {
  const found = schema.tables.get(table);
  if (found === undefined) return null;
  const names = condition.split(" AND ").map((term) => term.replace(/[=<>]+\?$/, ""));
  const known = names.every((name) => found.columns.some((column) => column.name === name));
  return known ? missingIndex(schema, found, ascending(names)) : null;
}

function sortStep(detail: string, used: readonly UsedTable[], schema: Schema): CostlyStep | null {
  const [, what] = SORT.exec(detail) ?? [];
  if (what === undefined) return null;
  const purpose = /order by/i.test(what) ? "order by" : /group by/i.test(what) ? "group by" : "distinct";
  const sorted = used.find(({ order, group }) => (purpose === "order by" ? order : group).length > 0);
  const index = sorted === undefined || purpose === "distinct" ? null : suggestIndex(schema, sorted);
  return { kind: "sort", table: null, purpose, index };
}
