import { WriteRejected, type SqlValue } from "rowhouse/plugin-api";
import { Real, type DefaultValues, type NewColumnType } from "rowhouse/plugin-api/engine";
import { quoteText } from "rowhouse/plugin-api/sql";
import type { JsonObject, JsonValue } from "rowhouse/plugin-api/json";
import { parseColumnType } from "../rows/new-columns.js";
import { requireKnownMembers } from "./body.js";
import { cellValue, isList, requireFewColumns } from "./cell-values.js";

/** The arguments of one operation. Every reader throws WriteRejected for an invalid value. */
export class Arguments {
  constructor(private readonly given: JsonObject) {}

  /** @throws WriteRejected naming the arguments that are not `known` */
  allowOnly(...known: readonly string[]): this {
    requireKnownMembers(this.given, known);
    return this;
  }

  has(name: string): boolean {
    return this.given.has(name);
  }

  get(name: string): JsonValue {
    return this.given.get(name) ?? null;
  }

  /** A required name. */
  name(argument: string): string {
    const name = this.given.get(argument);
    if (typeof name !== "string" || name === "") throw new WriteRejected([`"${argument}" must be a name`]);
    return name;
  }

  /** A required name for a new column. */
  newName(argument: string): string {
    const name = this.name(argument);
    if (!/[[\]]/.test(name)) return name;
    throw new WriteRejected(["'[' and ']' cannot be used in column names"]);
  }

  optionalName(argument: string): string | null {
    return this.has(argument) ? this.name(argument) : null;
  }

  names(argument: string): readonly string[] {
    const names = this.given.get(argument);
    if (isList(names)) requireFewColumns(names.length);
    if (isList(names) && names.every((name): name is string => typeof name === "string" && name !== "")) {
      return names;
    }
    throw new WriteRejected([`"${argument}" must be a list of names`]);
  }

  flag(argument: string): boolean | null {
    const flag = this.given.get(argument) ?? null;
    if (flag === null || typeof flag === "boolean") return flag;
    throw new WriteRejected([`"${argument}" must be true or false`]);
  }

  type(): NewColumnType | null {
    const type = this.given.get("type");
    return type === undefined || type === null ? null : parseColumnType(type);
  }

  /** SQL of a default: null to remove it, undefined if the request does not mention it. */
  defaultSql(defaults: DefaultValues): string | null | undefined {
    if (this.has("default") && this.has("default_expr")) {
      throw new WriteRejected(['Cannot use "default" and "default_expr" at the same time']);
    }
    if (this.has("default_expr")) return expressionSql(this.get("default_expr"), defaults);
    return this.has("default") ? this.literal(this.get("default"), defaults) : undefined;
  }

  /** SQL of a value of the column; null for NULL. */
  literal(value: JsonValue, defaults: DefaultValues): string | null {
    const isOfNumbers = ["float", "integer"].includes(this.type() ?? "");
    return literalSql(cellValue(value), defaults, isOfNumbers);
  }
}

/** Longer lists belong into a table, which the column then references. */
const MOST_CHOICES = 1_000;

/** SQL of a list of values for a CHECK: null to remove it, undefined if the request does not mention it. @throws WriteRejected */
export function choicesSql(args: Arguments, defaults: DefaultValues): readonly string[] | null | undefined {
  const choices = args.get("choices");
  if (choices === null) return args.has("choices") ? null : undefined;
  if (isList(choices) && choices.length > MOST_CHOICES)
    throw new WriteRejected([`"choices" can have at most ${MOST_CHOICES} values`]);
  const sql = isList(choices) ? choices.map((choice) => choiceSql(choice, args, defaults)) : [];
  if (sql.length > 0) return sql;
  throw new WriteRejected(['"choices" must be a list of texts and numbers']);
}

function choiceSql(choice: JsonValue, args: Arguments, defaults: DefaultValues): string {
  const isValue = typeof choice === "string" || typeof choice === "number" || typeof choice === "bigint";
  const sql = isValue || choice instanceof Real ? args.literal(choice, defaults) : null;
  if (sql !== null) return sql;
  throw new WriteRejected(['"choices" must be a list of texts and numbers']);
}

function expressionSql(name: JsonValue, { expressions }: DefaultValues): string {
  const known = Object.entries(expressions).find(([one]) => one === name);
  if (known !== undefined) return known[1];
  throw new WriteRejected([`"default_expr" must be one of ${Object.keys(expressions).join(", ")}`]);
}

function literalSql(value: SqlValue, { bytes, real }: DefaultValues, isOfNumbers: boolean): string | null {
  if (value === null) return null;
  if (value instanceof Real) return isOfNumbers && real ? real(value.value) : String(value);
  if (value instanceof Uint8Array) return bytes(value);
  if (typeof value !== "string") return String(value);
  if (value.includes("\0")) throw new WriteRejected(["A default cannot hold the character NUL"]);
  return quoteText(value);
}
