import { StatementConfined, behindBarrier, quoteIdentifier } from "rowhouse/plugin-api";
import type { SchemaObject, Source } from "./readable-sources.js";
import { definitionOf, isNaming } from "./mentioned-names.js";
import { singleStatement, type Statement } from "../sql/statement.js";
import { identifierText, type Token } from "../sql/tokenizer.js";

/** A statement and the common table expressions that take the places of views in it. */
export interface StatementWithBarriers {
  readonly statement: Statement;
  /** Each with a comma behind it. */
  readonly ctes: string;
}

/**
 * Puts a barrier around each view of the statement that shows a part of what may not be read. SQLite merges a view
 * with the statement around it, and would evaluate that statement's conditions on rows that the view leaves out.
 * A common table expression of the view's name hides the view from the statement, but not from itself, where the
 * name is qualified.
 *
 * @throws StatementConfined when it can't be told which view a name means
 */
export function withBarriers(statement: Statement, sources: readonly Source[]): StatementWithBarriers {
  const names = new Set(
    statement.tokens.filter(isNaming).map((token) => identifierText(token).toLowerCase()),
  );
  const views = [...names].flatMap((name) => barredView(name, sources));
  const ctes = views.map(({ schema, object }) => {
    const name = quoteIdentifier(object.name);
    const rows = behindBarrier(`select * from ${quoteIdentifier(schema)}.${name}`, object.name);
    return `${name} as (select * from ${rows}),`;
  });
  return { statement: views.reduce(unqualified, statement), ctes: ctes.join("") };
}

interface BarredView {
  readonly schema: string;
  readonly object: SchemaObject;
}

/** The view of this name that needs a barrier, or none. */
function barredView(name: string, sources: readonly Source[]): readonly BarredView[] {
  const found = sources.flatMap(({ schema, objects }) => {
    const object = objects.get(name);
    return object === undefined ? [] : [{ schema, object }];
  });
  const barred = found.filter(({ object }) => object.kind === "view" && showsHidden(object, sources));
  // Two databases have the name, and one expression can stand for one view only.
  if (barred.length > 0 && found.length > 1) throw new StatementConfined();
  return barred;
}

/** Does anything that a view names, through further views, exist and may not be read? */
function showsHidden(view: SchemaObject, sources: readonly Source[]): boolean {
  const visited = new Set<SchemaObject>([view]);
  for (const object of visited) {
    const named = namedBy(object, sources);
    if (named.some(({ isAllowed }) => !isAllowed)) return true;
    for (const { object: next } of named) visited.add(next);
  }
  return false;
}

const namedBy = (object: SchemaObject, sources: readonly Source[]) =>
  definitionOf(object)
    .filter(isNaming)
    .flatMap((token) => objectsNamed(identifierText(token).toLowerCase(), sources));

const objectsNamed = (name: string, sources: readonly Source[]) =>
  sources.flatMap(({ objects, allowed }) => {
    const object = objects.get(name);
    if (object === undefined) return [];
    return [{ object, isAllowed: allowed.tables.has(object.name) || allowed.views.has(object.name) }];
  });

/** The statement with `main.view` as `view`, so that it means the common table expression. */
function unqualified(statement: Statement, { schema, object }: BarredView): Statement {
  const { tokens, sql } = statement;
  const qualified = tokens.filter((_, index) => isQualified(tokens, index, schema, object.name));
  if (qualified.length === 0) return statement;
  // Without its database the name would mean the statement's own expression.
  if (tokens.some((token, index) => says(token, object.name) && definesCte(tokens, index))) {
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
  says(tokens[index], schema) &&
  tokens[index + 1]?.text === "." &&
  says(tokens[index + 2], name) &&
  tokens[index - 1]?.text !== ".";

/** `name as (`, `name as materialized (`, or `name (columns) as (`: rather one too many than one too few. */
function definesCte(tokens: readonly Token[], index: number): boolean {
  const next = tokens[index + 1];
  if (next?.kind === "open") return true;
  const after = tokens[index + 2];
  return (
    next?.text.toLowerCase() === "as" &&
    (after?.kind === "open" || ["not", "materialized"].includes(after?.text.toLowerCase() ?? ""))
  );
}

const says = (token: Token | undefined, name: string): boolean =>
  token !== undefined && isNaming(token) && identifierText(token).toLowerCase() === name.toLowerCase();
