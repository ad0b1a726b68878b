import { KEYWORDS, sqlTokens } from "./sql-tokens.js";
import type { Token } from "./sql-tokens.js";

// Each of these begins a line of its own; what follows it stays on the line.
const CLAUSES = /^(?:select|from|where|group|having|order|limit|window|union|except|intersect|with|values)$/;
const JOINS = /^(?:join|left|right|inner|outer|cross|full|natural)$/;

/**
 * SQL with a line for each clause, each selected column and each condition, brackets indented by two spaces.
 * Comments and everything in quotes stay as they are.
 */
export function formatSql(sql: string): string {
  const tokens = sqlTokens(sql).filter(({ kind }) => kind !== "space");
  const writer = new Writer();
  for (const [index, token] of tokens.entries()) writer.write(token, tokens[index - 1], tokens[index + 1]);
  return writer.text;
}

interface Level {
  /** Holds a statement, so that its clauses get lines of their own. */
  readonly isStatement: boolean;
  clause: string;
}

class Writer {
  #lines: string[] = [""];
  #levels: Level[] = [{ isStatement: true, clause: "" }];

  get text(): string {
    return this.#lines
      .map((line) => line.trimEnd())
      .join("\n")
      .trim();
  }

  write(token: Token, before: Token | undefined, next: Token | undefined): void {
    const word = token.kind === "word" ? token.text.toLowerCase() : "";
    if (token.text === "(") return this.#open(token, before, next);
    if (token.text === ")") return this.#close();
    if (this.#level.isStatement && this.#breaksBefore(word, before)) this.#newLine(indentOf(word));
    if (CLAUSES.test(word)) this.#level.clause = word;
    this.#put(token, before);
    if (token.kind === "comment" && token.text.startsWith("--")) this.#newLine(1);
    if (token.text === "," && this.#level.isStatement && LISTS.has(this.#level.clause)) this.#newLine(1);
  }

  get #level(): Level {
    return this.#levels.at(-1) ?? { isStatement: true, clause: "" };
  }

  #breaksBefore(word: string, before: Token | undefined): boolean {
    const previous = before?.kind === "word" ? before.text.toLowerCase() : "";
    if (before === undefined) return false;
    if (CLAUSES.test(word)) return previous !== "explain" && previous !== "plan";
    if (JOINS.test(word)) return !JOINS.test(previous);
    return (word === "and" || word === "or") && this.#level.clause === "where";
  }

  #open(token: Token, before: Token | undefined, next: Token | undefined): void {
    const isStatement = /^(?:select|with|values)$/i.test(next?.text ?? "");
    this.#put(token, before);
    this.#levels.push({ isStatement, clause: "" });
    if (isStatement) this.#newLine(0);
  }

  #close(): void {
    const closed = this.#levels.length > 1 ? this.#levels.pop() : undefined;
    if (closed?.isStatement === true) this.#newLine(1);
    this.#append(")");
  }

  #put(token: Token, before: Token | undefined): void {
    const line = this.#lines.at(-1) ?? "";
    const apart = line.trim() !== "" && needsSpace(token, before);
    this.#append(apart ? ` ${token.text}` : token.text);
  }

  #append(text: string): void {
    this.#lines[this.#lines.length - 1] += text;
  }

  #newLine(extraIndent: number): void {
    const statements = this.#levels.filter((level, index) => index > 0 && level.isStatement).length;
    const indent = "  ".repeat(statements * 2 + extraIndent);
    if ((this.#lines.at(-1) ?? "").trim() === "") this.#lines.pop();
    this.#lines.push(indent);
  }
}

const LISTS: ReadonlySet<string> = new Set(["select"]);

const indentOf = (word: string): number => (word === "and" || word === "or" || JOINS.test(word) ? 1 : 0);

function needsSpace(token: Token, before: Token | undefined): boolean {
  if (before === undefined || before.text === "(" || before.text === ".") return false;
  if (token.text === "," || token.text === ";" || token.text === ".") return false;
  if (token.text === "(") return before.kind !== "word" || KEYWORDS.has(before.text.toLowerCase());
  // `<=`, `||`, `->>`: neighbouring symbols belong together.
  return !(token.kind === "symbol" && before.kind === "symbol" && /[<>=|!-]/.test(before.text));
}
