import { unquoteName, wordOf, type Token } from "../sql/tokens.js";

/** A column as a statement mentions it: `b.title`, or `title` without a qualifier. */
export interface ColumnMention {
  readonly qualifier: string | null;
  readonly name: string;
}

/** A comparison of a column that an index can answer. */
export interface Comparison extends ColumnMention {
  readonly kind: "equal" | "range";
  /** True if a row can satisfy the statement without it, because of an OR. */
  readonly isAlternative: boolean;
  /** Compared with another column, not with a value. */
  readonly isJoin: boolean;
}

export interface OrderTerm extends ColumnMention {
  readonly descending: boolean;
}

/** A table in a FROM clause. */
export interface Source {
  readonly table: string;
  /** The alias; the name of the table if there is none. */
  readonly alias: string;
}

/** One SELECT of a statement. */
export interface SelectScope {
  readonly parent: SelectScope | null;
  readonly sources: readonly Source[];
  readonly comparisons: readonly Comparison[];
  /** Empty if a term is not a column. */
  readonly order: readonly OrderTerm[];
  readonly group: readonly ColumnMention[];
  /** SQLite evaluates no condition of an outer SELECT inside of one with a LIMIT. */
  readonly hasLimit: boolean;
}

/**
 * Reads the SELECTs of a statement: their tables, and the columns that they compare with values and sort by. What an
 * index cannot answer is left out: arguments of functions, calculations, and negations.
 *
 * @example
 * readScopes(tokenize("select * from books where year > 1900"))[0]?.comparisons;
 * // [{ qualifier: null, name: "year", kind: "range", isAlternative: false, isJoin: false }]
 */
export function readScopes(tokens: readonly Token[]): readonly SelectScope[] {
  const reader = new ScopeReader(tokens);
  return reader.read();
}

type Clause = "from" | "condition" | "other";

/** A pair of parentheses; the outermost frame is the whole statement. */
interface Frame {
  scope: MutableScope;
  clause: Clause;
  /** False inside of functions and negations. */
  readonly isComparable: boolean;
  /** Depth of CASE expressions. */
  cases: number;
  hasOr: boolean;
  readonly outer: Frame | null;
}

interface MutableScope extends SelectScope {
  readonly parent: MutableScope | null;
  readonly sources: Source[];
  readonly comparisons: Comparison[];
  order: readonly OrderTerm[];
  group: readonly ColumnMention[];
  hasLimit: boolean;
  isStarted: boolean;
}

const newScope = (parent: MutableScope | null): MutableScope => ({
  parent,
  sources: [],
  comparisons: [],
  order: [],
  group: [],
  hasLimit: false,
  isStarted: false,
});

const CLAUSES: ReadonlyMap<string, Clause> = new Map(
  Object.entries<Clause>({
    from: "from",
    join: "from",
    where: "condition",
    on: "condition",
    using: "other",
    group: "other",
    order: "other",
    having: "other",
    limit: "other",
  }),
);
/** Words after a table that are not its alias. */
const NO_ALIAS: ReadonlySet<string> = new Set([
  ...CLAUSES.keys(),
  ..."left right inner outer full cross natural union except intersect indexed not window".split(" "),
]);
/** Words before a parenthesis that do not call a function. */
const NO_FUNCTION: ReadonlySet<string> = new Set([
  ...CLAUSES.keys(),
  ..."in and or not as is between select when then else by all distinct".split(" "),
]);

const isName = (token: Token | undefined): token is Token =>
  token?.kind === "name" || token?.kind === "quoted-name";

class ScopeReader {
  readonly #scopes: MutableScope[] = [];
  /** Comparisons become alternatives if an OR follows in one of their frames, so they are made at the end. */
  readonly #found: {
    readonly frame: Frame;
    readonly mention: ColumnMention;
    readonly kind: "equal" | "range";
    readonly isJoin: boolean;
  }[] = [];
  #frame: Frame;

  constructor(private readonly tokens: readonly Token[]) {
    this.#frame = this.#open(this.#add(null), true, null);
  }

  read(): readonly SelectScope[] {
    for (let index = 0; index < this.tokens.length; index += 1) this.#visit(index);
    for (const { frame, mention, kind, isJoin } of this.#found) {
      frame.scope.comparisons.push({ ...mention, kind, isAlternative: isAlternative(frame), isJoin });
    }
    return this.#scopes;
  }

  #visit(index: number): void {
    const token = this.tokens[index];
    const frame = this.#frame;
    if (token?.kind === "open") return this.#enter(index);
    if (token?.kind === "close") return void (this.#frame = frame.outer ?? frame);
    const word = wordOf(token);
    if (word === "case") frame.cases += 1;
    if (word === "end") frame.cases -= 1;
    if (word === "or" && frame.clause === "condition") frame.hasOr = true;
    if (word === "select") return this.#select(frame);
    if (word === "limit") frame.scope.hasLimit = true;
    if (word === "order" && wordOf(this.tokens[index + 1]) === "by")
      frame.scope.order = this.#terms(index + 2);
    if (word === "group" && wordOf(this.tokens[index + 1]) === "by")
      frame.scope.group = this.#terms(index + 2);
    const clause = CLAUSES.get(word);
    if (clause !== undefined) frame.clause = clause;
    if (frame.clause === "from") return this.#source(index);
    if (frame.clause === "condition" && frame.isComparable && frame.cases === 0) this.#comparison(index);
  }

  /** Another SELECT of a compound has a scope of its own. */
  #select(frame: Frame): void {
    if (frame.scope.isStarted) frame.scope = this.#add(frame.scope.parent);
    frame.scope.isStarted = true;
    frame.clause = "other";
    frame.hasOr = false;
  }

  #enter(index: number): void {
    const outer = this.#frame;
    const before = this.tokens[index - 1];
    const opensSelect = ["select", "with", "values"].includes(wordOf(this.tokens[index + 1]));
    if (opensSelect) {
      this.#frame = this.#open(this.#add(outer.scope), true, outer);
      return;
    }
    const isCall = isName(before) && !NO_FUNCTION.has(wordOf(before));
    const isComparable = outer.isComparable && outer.cases === 0 && !isCall && wordOf(before) !== "not";
    this.#frame = this.#open(outer.scope, isComparable, outer);
    this.#frame.clause = isCall ? "other" : outer.clause;
  }

  #open(scope: MutableScope, isComparable: boolean, outer: Frame | null): Frame {
    return { scope, clause: "other", isComparable, cases: 0, hasOr: false, outer };
  }

  #add(parent: MutableScope | null): MutableScope {
    const scope = newScope(parent);
    this.#scopes.push(scope);
    return scope;
  }

  /** A table after FROM, JOIN or a comma. */
  #source(index: number): void {
    const before = this.tokens[index - 1];
    const begins =
      before?.kind === "comma" || before?.kind === "open" || CLAUSES.get(wordOf(before)) === "from";
    const first = this.tokens[index];
    if (!begins || !isName(first) || NO_ALIAS.has(wordOf(first))) return;
    const isQualified = this.tokens[index + 1]?.text === ".";
    const name = isQualified ? this.tokens[index + 2] : first;
    if (!isName(name)) return;
    const after = index + (isQualified ? 3 : 1);
    const candidate = this.tokens[wordOf(this.tokens[after]) === "as" ? after + 1 : after];
    const table = unquoteName(name);
    const hasAlias = isName(candidate) && !NO_ALIAS.has(wordOf(candidate));
    this.#frame.scope.sources.push({ table, alias: hasAlias ? unquoteName(candidate) : table });
  }

  #comparison(index: number): void {
    const column = this.#mention(index);
    if (column === null) return;
    const { mention, first, last } = column;
    const after = this.#kindAfter(last + 1);
    const kind = after ?? this.#kindBefore(first - 1);
    const other = after === null ? first - 2 : last + 2;
    const isAlone = !isCalculated(this.tokens[first - 1]) && !isCalculated(this.tokens[last + 1]);
    if (kind === null || !isAlone) return;
    this.#found.push({ frame: this.#frame, mention, kind, isJoin: this.#isColumn(other) });
  }

  /** The column whose name ends at `index`; null if there is none. */
  #mention(
    index: number,
  ): { readonly mention: ColumnMention; readonly first: number; readonly last: number } | null {
    const token = this.tokens[index];
    if (!isName(token) || this.tokens[index + 1]?.text === "." || this.tokens[index + 1]?.kind === "open")
      return null;
    const qualifier = this.tokens[index - 1]?.text === "." ? this.tokens[index - 2] : undefined;
    const mention = {
      qualifier: qualifier === undefined ? null : unquoteName(qualifier),
      name: unquoteName(token),
    };
    return { mention, first: qualifier === undefined ? index : index - 2, last: index };
  }

  #isColumn(index: number): boolean {
    return this.#mention(index) !== null || this.tokens[index + 1]?.text === ".";
  }

  #kindAfter(index: number): "equal" | "range" | null {
    const [one, two] = [this.tokens[index], this.tokens[index + 1]];
    if (one?.text === "=" || wordOf(one) === "in") return "equal";
    if (wordOf(one) === "is") return wordOf(two) === "not" ? null : "equal";
    if (wordOf(one) === "between" || one?.text === ">") return "range";
    return one?.text === "<" && two?.text !== ">" ? "range" : null;
  }

  #kindBefore(index: number): "equal" | "range" | null {
    const [one, two] = [this.tokens[index], this.tokens[index - 1]];
    const isPair = two?.kind === "symbol" && two.end === one?.start;
    if (one?.text === "=") {
      if (!isPair || two.text === "=") return "equal";
      return two.text === "!" ? null : "range";
    }
    return (one?.text === "<" || one?.text === ">") && !isPair ? "range" : null;
  }

  /** The terms of ORDER BY or GROUP BY; none if one of them is not a column. */
  #terms(start: number): readonly OrderTerm[] {
    const terms: OrderTerm[] = [];
    for (let index = start; ; index += 1) {
      if (this.tokens[index + 1]?.text === ".") index += 2;
      const column = this.#mention(index);
      if (column === null) return [];
      const direction = wordOf(this.tokens[index + 1]);
      if (direction === "asc" || direction === "desc") index += 1;
      terms.push({ ...column.mention, descending: direction === "desc" });
      const next = this.tokens[index + 1];
      index += 1;
      if (next?.kind === "comma") continue;
      const ends = next === undefined || next.kind === "close" || CLAUSES.get(wordOf(next)) === "other";
      return ends ? terms : [];
    }
  }
}

const CALCULATING: ReadonlySet<string> = new Set(["+", "-", "*", "/", "%", "|", "&", "~"]);
const isCalculated = (token: Token | undefined): boolean =>
  CALCULATING.has(token?.text ?? "") || ["not", "collate", "like", "glob"].includes(wordOf(token));

/** True if a frame of the same SELECT contains an OR. */
function isAlternative(frame: Frame): boolean {
  for (let one: Frame | null = frame; one !== null && one.scope === frame.scope; one = one.outer) {
    if (one.hasOr) return true;
  }
  return false;
}
