import { messageOf } from "rowhouse/plugin-api";
import { columnOf, type Dialect } from "rowhouse/plugin-api/engine";
import { SqlFailed } from "rowhouse/plugin-api/errors";
import type { CarriedType } from "./carried-value.js";
import { failureOf, type CopyTarget } from "./copy-target.js";
import { portableRules, type Rule } from "./portable-rules.js";
import type { TableCopy } from "./source-table.js";
import { isSameEngine } from "./stored-statements.js";

/**
 * Creates a table. If the target rejects the statement, each rule is tried by itself, and those that it rejects are losses.
 *
 * @returns the rules that it accepts; none for a table that is made by the statement of its source
 */
export async function createTable(target: CopyTarget, copy: TableCopy): Promise<readonly Rule[]> {
  const { source, dialect, transaction } = target;
  if (isSameEngine(source, dialect)) {
    await transaction.run(copy.table.sql ?? "");
    return [];
  }
  return acceptedRules(target, copy, portableRules(target, copy));
}

/** Replaces a table by an empty one with these rules. */
export async function recreateTable(
  target: CopyTarget,
  copy: TableCopy,
  rules: readonly Rule[],
): Promise<void> {
  await dropTable(target, copy);
  await createWith(target, copy, rules);
}

const dropTable = ({ dialect, transaction }: CopyTarget, { table }: TableCopy): Promise<unknown> =>
  transaction.run(`DROP TABLE ${dialect.definitions.declaredName(table.name)}`);

async function createWith(target: CopyTarget, copy: TableCopy, rules: readonly Rule[]): Promise<void> {
  const { prepare } = target.dialect.definitions.caseInsensitive;
  if (prepare !== null && rules.some(({ kind }) => kind === "caseless"))
    await target.transaction.run(prepare);
  await target.transaction.run(createStatement(target, copy, rules));
}

/** Creates the table with as many rules as the target accepts, and returns these. */
async function acceptedRules(
  target: CopyTarget,
  copy: TableCopy,
  rules: readonly Rule[],
): Promise<readonly Rule[]> {
  const create = (some: readonly Rule[]): Promise<void> => createWith(target, copy, some);
  const failure = await failureOf(create(rules));
  if (failure === null) return rules;
  if (!(failure instanceof SqlFailed)) throw failure;
  // Without any rule, so that an error of the table itself is not taken for one of its rules.
  await create([]);
  let accepted: readonly Rule[] = [];
  for (const rule of rules) {
    await dropTable(target, copy);
    const error = await failureOf(create([...accepted, rule]));
    if (error === null) {
      accepted = [...accepted, rule];
    } else {
      target.losses.push(`${rule.label}: ${messageOf(error)}`);
      await create(accepted);
    }
  }
  return accepted;
}

const ruleOf = (rules: readonly Rule[], kind: Rule["kind"], column: string): Rule | undefined =>
  rules.find((rule) => rule.kind === kind && rule.column === column);

/** The CREATE TABLE statement of the target. */
function createStatement({ dialect }: CopyTarget, copy: TableCopy, rules: readonly Rule[]): string {
  const { definitions } = dialect;
  const name = definitions.declaredName;
  const { table, columns } = copy;
  const own = copy.hasOwnKey ? columns.slice(1) : columns;
  const lines = own.map((column) => columnLine(definitions, copy, column, rules));
  if (copy.hasOwnKey && definitions.ownKey !== null) lines.unshift(definitions.ownKey);
  const keys = table.primaryKeys;
  if (keys.length > 1) lines.push(`PRIMARY KEY (${keys.map(name).join(", ")})`);
  for (const index of table.indexes) {
    const unique = index.columns.filter((column) => column !== null);
    if (index.origin === "u" && index.unique && unique.length === index.columns.length)
      lines.push(`UNIQUE (${unique.map(name).join(", ")})`);
  }
  const checks = rules.filter(({ kind }) => kind === "check").map(({ sql }) => sql);
  lines.push(...checks.map((check) => `${checkName(definitions, check, checks)}CHECK (${check})`));
  // The schema lists the last one first.
  for (const key of table.foreignKeys.toReversed()) {
    if (definitions.addForeignKey(table.name, key) !== null) continue;
    lines.push(
      `FOREIGN KEY (${key.columns.map(name).join(", ")}) REFERENCES ${name(key.otherTable)} ` +
        `(${key.otherColumns.map(name).join(", ")}) ON DELETE ${key.onDelete} ON UPDATE ${key.onUpdate}`,
    );
  }
  return `CREATE TABLE ${name(table.name)} (\n${lines.map((line) => `  ${line}`).join(",\n")}\n)`;
}

const MAX_NAME_BYTES = 63;

/** Engines report the name of a violated constraint: the expression says more than a name that they make up. */
function checkName(definitions: Dialect["definitions"], check: string, checks: readonly string[]): string {
  const isName =
    Buffer.byteLength(check) <= MAX_NAME_BYTES && checks.filter((one) => one === check).length === 1;
  return isName ? `CONSTRAINT ${definitions.declaredName(check)} ` : "";
}

function columnLine(
  definitions: Dialect["definitions"],
  { table, columns, types }: TableCopy,
  column: string,
  rules: readonly Rule[],
): string {
  const type = types[columns.indexOf(column)] ?? "text";
  const found = columnOf(table, column);
  const isCaseless = ruleOf(rules, "caseless", column) !== undefined;
  const declared = isCaseless ? definitions.caseInsensitive.type : typeInTarget(definitions, type);
  const isKey = table.primaryKeys.length === 1 && table.primaryKeys[0] === column;
  const isInteger = isKey && type === "integer";
  const [generated, preset] = [ruleOf(rules, "generated", column), ruleOf(rules, "default", column)];
  return [
    `${definitions.declaredName(column)} ${declared}`.trim(),
    isKey ? keyClause(definitions, type, found?.isAssigned === true) : "",
    found?.notNull === true && !isInteger ? "NOT NULL" : "",
    preset === undefined ? "" : `DEFAULT ${preset.sql}`,
    generated === undefined ? "" : `GENERATED ALWAYS AS (${generated.sql}) STORED`,
  ]
    .filter((part) => part !== "")
    .join(" ");
}

const typeInTarget = ({ numberType, declaredTypes }: Dialect["definitions"], type: CarriedType): string =>
  ({ ...declaredTypes, number: numberType, declared: "" })[type];

/** A key that the source assigns is never assigned again, also if its row has been deleted. */
function keyClause(definitions: Dialect["definitions"], type: CarriedType, isAssigned: boolean): string {
  if (type !== "integer") return "PRIMARY KEY";
  const onlyOnce = isAssigned ? (definitions.assignedOnce ?? "") : "";
  return `${definitions.assignedKey} PRIMARY KEY${onlyOnce}`.trim();
}
