import { quoteIdentifier } from "rowhouse/plugin-api";
import { StatementConfined } from "rowhouse/plugin-api/errors";
import { isSameName } from "rowhouse/plugin-api/names";
import {
  definitionOf,
  isAllowed,
  isNaming,
  objectsNamed,
  type NamedObject,
  type SchemaObject,
  type Source,
} from "./schema-names.js";
import { sqliteDialect } from "../sql/dialect.js";
import { singleStatement, type Statement } from "../sql/statement.js";
import { foldedName, identifierText, wordOf, type Token } from "../sql/tokens.js";

/** A statement, and the common table expressions that replace views in it. */
export interface StatementWithBarriers {
  readonly statement: Statement;
  /** Each with a comma after it. */
  readonly ctes: string;
}

/**
 * Adds a barrier to each view of the statement that reads tables outside of the allowlist. Otherwise SQLite merges the
 * view with the statement, and evaluates conditions of the statement on rows that the view leaves out. A common table
 * expression with the name of the view replaces it in the statement. It reads the view by its qualified name.
 *
 * @throws StatementConfined if a name could mean several views
 */
export function withBarriers(statement: Statement, sources: readonly Source[]): StatementWithBarriers {
  const names = new Set(statement.tokens.filter(isNaming).map(foldedName));
  const views = [...names].flatMap((name) => viewsToBar(name, sources));
  const ctes = views.map(({ source, object }) => {
    const name = quoteIdentifier(object.name);
    const rows = sqliteDialect.barrier(
      `select * from ${quoteIdentifier(source.schema)}.${name}`,
      object.name,
    );
    return `${name} as (select * from ${rows}),`;
  });
  return { statement: views.reduce(unqualified, statement), ctes: ctes.join("") };
}

/** The view of this name if it needs a barrier; else empty. */
function viewsToBar(name: string, sources: readonly Source[]): readonly NamedObject[] {
  const found = objectsNamed(name, sources);
  const barred = found.filter(({ object }) => object.kind === "view" && readsHidden(object, sources));
  // Several databases have this name, but an expression can replace only one view.
  if (barred.length > 0 && found.length > 1) throw new StatementConfined();
  return barred;
}

/** True if the view names, directly or through other views, a table that is not allowed. */
function readsHidden(view: SchemaObject, sources: readonly Source[]): boolean {
  const visited = new Set<SchemaObject>([view]);
  for (const object of visited) {
    const named = namedBy(object, sources);
    if (!named.every(isAllowed)) return true;
    for (const { object: next } of named) visited.add(next);
  }
  return false;
}

const namedBy = (object: SchemaObject, sources: readonly Source[]): readonly NamedObject[] =>
  definitionOf(object)
    .filter(isNaming)
    .flatMap((token) => objectsNamed(foldedName(token), sources));

/** The statement with `view` instead of `main.view`, so that it means the common table expression. */
function unqualified(statement: Statement, { source, object }: NamedObject): Statement {
  const { tokens, sql } = statement;
  const qualified = tokens.filter((_, index) => isQualified(tokens, index, source.schema, object.name));
  if (qualified.length === 0) return statement;
  // Without its schema, the name would mean a common table expression of the statement.
  if (tokens.some((token, index) => isNamed(token, object.name) && definesCte(tokens, index))) {
    throw new StatementConfined();
  }
  let rest = "";
  let copied = 0;
  for (const first of qualified) {
    rest += `${sql.slice(copied, first.start)} `;
    copied = tokens[tokens.indexOf(first) + 1]?.end ?? first.end;
  }
  return singleStatement(rest + sql.slice(copied));
}

const isQualified = (tokens: readonly Token[], index: number, schema: string, name: string): boolean =>
  isNamed(tokens[index], schema) &&
  tokens[index + 1]?.text === "." &&
  isNamed(tokens[index + 2], name) &&
  tokens[index - 1]?.text !== ".";

/** `name as (`, `name as materialized (` or `name (columns) as (`. It may find too many, but not too few. */
export function definesCte(tokens: readonly Token[], index: number): boolean {
  const next = tokens[index + 1];
  if (next?.kind === "open") return true;
  const after = tokens[index + 2];
  return wordOf(next) === "as" && (after?.kind === "open" || ["not", "materialized"].includes(wordOf(after)));
}

const isNamed = (token: Token | undefined, name: string): boolean =>
  token !== undefined && isNaming(token) && isSameName(identifierText(token), name);
