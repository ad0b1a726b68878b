import type { SchemaObject, Source } from "./readable-sources.js";
import type { Statement } from "../sql/statement.js";
import { identifierText, tokenize, type Token } from "../sql/tokenizer.js";

/** Names a statement leads to, in lower case: its own words, and those of the views and virtual tables it names. */
export interface Mentions {
  /** Every word, whatever it may mean. */
  readonly all: ReadonlySet<string>;
  /** Those that could stand for a table: text that can only be a value is left out. */
  readonly tables: ReadonlySet<string>;
  /** It names a view that may be read whatever it shows, whose definition is therefore not followed. */
  readonly passesOpenView: boolean;
}

/** Rather one name too many than one too few. */
export function mentionsOf(statement: Statement, sources: readonly Source[]): Mentions {
  const all = new Set<string>();
  const tables = new Set<string>();
  let passesOpenView = false;
  const visit = (tokens: readonly Token[], isDefinition: boolean): void => {
    for (const [index, token] of tokens.entries()) {
      if (!isNaming(token)) continue;
      const name = identifierText(token).toLowerCase();
      if (isDefinition || token.kind !== "string" || mayNameTable(tokens, index)) tables.add(name);
      if (all.has(name)) continue;
      all.add(name);
      const objects = objectsCalled(name, sources);
      if (objects.length > 0 && objects.every(({ isOpenView }) => isOpenView)) passesOpenView = true;
      else for (const { object } of objects) visit(definitionOf(object), object.kind === "virtual");
    }
  };
  visit(statement.tokens, false);
  return { all, tables, passesOpenView };
}

const NAMING: ReadonlySet<Token["kind"]> = new Set(["name", "quoted-name", "string"]);

/** Can a token stand for the name of a table? */
export const isNaming = ({ kind }: Token): boolean => NAMING.has(kind);

interface Called {
  readonly object: SchemaObject;
  readonly isOpenView: boolean;
}

const objectsCalled = (name: string, sources: readonly Source[]): Called[] =>
  sources.flatMap(({ objects, allowed }) => {
    const object = objects.get(name);
    return object === undefined ? [] : [{ object, isOpenView: allowed.views.has(object.name) }];
  });

/** What the names of an object lead to: those of a plain table's columns to nothing. */
export function definitionOf({ kind, sql }: SchemaObject): readonly Token[] {
  if (kind === "table") return [];
  return kind === "virtual" ? moduleArguments(sql) : tokenize(sql);
}

/** What stands behind the module's name in CREATE VIRTUAL TABLE; the name itself opens nothing here. */
export function moduleArguments(sql: string): readonly Token[] {
  const tokens = tokenize(sql);
  return tokens.slice(tokens.findIndex(({ text }) => text.toLowerCase() === "using") + 2);
}

/** SQLite takes a string for a table's name behind FROM, JOIN, a comma, a dot or IN. */
function mayNameTable(tokens: readonly Token[], index: number): boolean {
  let before = index - 1;
  while (tokens[before]?.kind === "open") before -= 1;
  const previous = tokens[before];
  if (previous === undefined) return false;
  const word = previous.text.toLowerCase();
  if (word === "in") return before === index - 1;
  if (previous.kind === "comma") return !isListOfValues(tokens, before);
  return word === "from" || word === "join" || word === ".";
}

/** Does a comma stand in the brackets of `in (…)` or `values (…)`? */
function isListOfValues(tokens: readonly Token[], comma: number): boolean {
  let depth = 0;
  for (let at = comma - 1; at > 0; at -= 1) {
    const { kind } = tokens[at] ?? {};
    if (kind === "close") depth += 1;
    if (kind === "open") depth -= 1;
    if (depth >= 0) continue;
    const opens = tokens[at + 1]?.text.toLowerCase();
    if (opens === "select" || opens === "with") return false;
    return ["in", "values"].includes(tokens[at - 1]?.text.toLowerCase() ?? "");
  }
  return false;
}
