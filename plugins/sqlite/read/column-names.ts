import type { Connection } from "../open/connection.js";
import type { Statement } from "../sql/statement.js";
import { unquoteName, identifierText, splitAtCommas, type Token } from "../sql/tokenizer.js";

const NUMBERED = /^(.*?):[0-9]+$/s;

/**
 * The names a statement's columns have, from those a table made of it would have.
 *
 * A table's columns differ, so SQLite numbers those that do not: `a`, `a:1`. A numbered name stands for the
 * earlier one it was too like, unless the statement or the schema really says it that way.
 */
export async function resultColumnNames(
  connection: Connection,
  names: readonly string[],
  statement: Statement,
): Promise<readonly string[]> {
  return withExpressions(await withoutNumbers(connection, names, statement), statement);
}

async function withoutNumbers(
  connection: Connection,
  names: readonly string[],
  statement: Statement,
): Promise<readonly string[]> {
  const numbered = names.filter((name) => NUMBERED.test(name));
  if (numbered.length === 0) return names;
  const spelled = new Set(statement.tokens.map(identifierText));
  for (const name of numbered) if (await isInSchema(connection, name)) spelled.add(name);
  const said = saidNames(names, statement);
  const real: string[] = [];
  for (const [index, name] of names.entries()) {
    const own = said[index];
    if (own !== undefined && NUMBERED.test(name)) real.push(resolved(name, own, real));
    else real.push(spelled.has(name) ? name : withoutNumber(name, real));
  }
  return real;
}

/** What the statement itself calls each column: an alias, or the column it takes; undefined for expressions. */
function saidNames(names: readonly string[], { tokens }: Statement): readonly (string | undefined)[] {
  const items = resultColumns(tokens);
  if (items.length !== names.length) return [];
  return items.map((item) => {
    const last = item.at(-1);
    return last?.kind === "name" || last?.kind === "quoted-name" ? unquoteName(last) : undefined;
  });
}

function resolved(name: string, own: string, earlier: readonly string[]): string {
  if (own.toLowerCase() === name.toLowerCase()) return name;
  // A number that is part of the name was taken off before another was put on.
  return NUMBERED.test(own) ? own : withoutNumber(name, earlier);
}

function withoutNumber(name: string, earlier: readonly string[]): string {
  const base = NUMBERED.exec(name)?.[1];
  if (base === undefined) return name;
  const same = (other: string): boolean => other.toLowerCase() === base.toLowerCase();
  if (earlier.some(same)) return base;
  return earlier.find((other) => same(NUMBERED.exec(other)?.[1] ?? other)) ?? name;
}

async function isInSchema(connection: Connection, name: string): Promise<boolean> {
  const sql = "select 1 from sqlite_schema where instr(sql, ?1) limit 1";
  return (await connection.all({ sql, values: [name] })).length > 0;
}

/** A table would call `name collate nocase` just `name`, and `true` nothing; a result is called what it says. */
function withExpressions(names: readonly string[], { sql, tokens }: Statement): readonly string[] {
  const items = resultColumns(tokens);
  if (items.length !== names.length) return names;
  return names.map((name, index) => {
    const item = items[index] ?? [];
    const [first] = item;
    const last = item.at(-1);
    if (first === undefined || last === undefined) return name;
    const collated = isWord(item.at(-2), ["collate"]) && isWord(item.at(-3), [name.toLowerCase()], true);
    const constant = item.length === 1 && isWord(first, ["true", "false"]);
    return collated || constant ? sql.slice(first.start, last.end) : name;
  });
}

const LIST_ENDS = "from where group having window order limit union except intersect".split(" ");

/** The items of the first select list outside of brackets; a star among them counts as one. */
function resultColumns(tokens: readonly Token[]): readonly Token[][] {
  const start = indexAtTopLevel(tokens, 0, ["select"]) + 1;
  if (start === 0) return [];
  const end = indexAtTopLevel(tokens, start, LIST_ENDS);
  const items = splitAtCommas(tokens.slice(start, end === -1 ? undefined : end));
  const [first] = items;
  if (isWord(first?.[0], ["distinct", "all"])) first?.shift();
  return items;
}

function indexAtTopLevel(tokens: readonly Token[], from: number, words: readonly string[]): number {
  let depth = 0;
  return tokens.findIndex((token, index) => {
    if (token.kind === "open") depth += 1;
    if (token.kind === "close") depth -= 1;
    return index >= from && depth === 0 && isWord(token, words);
  });
}

const isWord = (token: Token | undefined, words: readonly string[], quoted = false): boolean =>
  token !== undefined &&
  (token.kind === "name" || (quoted && token.kind === "quoted-name")) &&
  words.includes(unquoteName(token).toLowerCase());
