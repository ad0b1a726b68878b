import { quoteIdentifier, WriteRejected } from "rowhouse/plugin-api";
import { isSameName } from "rowhouse/plugin-api/names";
import { sameExpression, tableChecks, type TableCheck } from "rowhouse/plugin-api/sql";
import type { Arguments } from "../json/arguments.js";
import type { ParsedAlteration } from "./alteration.js";
import { checkExpression, type Named } from "./check-expression.js";
import type { DroppedCheck, NewCheck } from "./table-change.js";
import type { TableDefinition } from "./table-definition.js";

const NOT_TEXT = '"expression" must be the SQL of a condition, as text';

/** Reads `expression` and `name`. @throws WriteRejected */
export function parseCheck(args: Arguments): NewCheck {
  const expression = args.allowOnly("expression", "name").get("expression");
  if (typeof expression !== "string") throw new WriteRejected([NOT_TEXT]);
  return { name: args.optionalName("name"), expression };
}

export function parseAddCheck(args: Arguments): ParsedAlteration {
  const check = parseCheck(args);
  return {
    alteration: { kind: "edit", edit: (definition) => addCheck(definition, check) },
    change: { op: "add-check", check },
    refersTo: [],
    testsValues: true,
  };
}

export function parseDropCheck(args: Arguments): ParsedAlteration {
  const expression = args.allowOnly("expression", "name").get("expression");
  const name = args.optionalName("name");
  if (expression !== null && typeof expression !== "string") throw new WriteRejected([NOT_TEXT]);
  if ((expression === null) === (name === null))
    throw new WriteRejected(['Give either "name" or "expression" of the check']);
  const dropped = { name, expression };
  return {
    alteration: { kind: "edit", edit: (definition) => dropCheck(definition, dropped) },
    change: { op: "drop-check", dropped },
    refersTo: [],
  };
}

/** `CONSTRAINT "name" CHECK (…)` @throws WriteRejected for an expression that is not allowed */
export function checkSql({ name, expression }: NewCheck, columns: Named): string {
  const sql = `CHECK (${checkExpression(expression, columns)})`;
  return name === null ? sql : `CONSTRAINT ${quoteIdentifier(name)} ${sql}`;
}

function addCheck(definition: TableDefinition, check: NewCheck): TableDefinition {
  const text = checkSql(check, definition.columns);
  const constraint = { kind: "check", columns: [], text } as const;
  return { ...definition, constraints: [...definition.constraints, constraint] };
}

/** Is it the CHECK that is dropped? */
export const isDropped = (check: TableCheck, { name, expression }: DroppedCheck): boolean =>
  name === null
    ? sameExpression(check.expression, expression ?? "")
    : check.name !== null && isSameName(check.name, name);

/** The error for a CHECK that does not exist. */
export const noSuchCheck = ({ name, expression }: DroppedCheck): WriteRejected =>
  new WriteRejected([`no such check: ${name ?? expression ?? ""}`]);

function dropCheck(definition: TableDefinition, dropped: DroppedCheck): TableDefinition {
  let isFound = false;
  const isKept = ({ kind, text }: { readonly kind: string; readonly text: string }): boolean => {
    const [check] = kind === "check" ? tableChecks(`create table t (${text})`) : [];
    const isThis = !isFound && check !== undefined && isDropped(check, dropped);
    isFound ||= isThis;
    return !isThis;
  };
  const columns = definition.columns.map((column) => ({
    ...column,
    constraints: column.constraints.filter(isKept),
  }));
  const constraints = definition.constraints.filter(isKept);
  if (!isFound) throw noSuchCheck(dropped);
  return { ...definition, columns, constraints };
}
