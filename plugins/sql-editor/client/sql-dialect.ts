import type { Completion, CompletionSource } from "@codemirror/autocomplete";
import { keywordCompletionSource, SQLDialect } from "@codemirror/lang-sql";
import type { EditorView } from "@codemirror/view";
import { FUNCTIONS, KEYWORDS, TYPES } from "./sql-words.js";

/**
 * The SQL of SQLite. The dialect of this name in the library has words of the SQL standard that SQLite does not have,
 * and those of SQLite's shell, but no functions.
 */
export const sqliteDialect = SQLDialect.define({
  keywords: KEYWORDS.join(" "),
  builtin: FUNCTIONS.join(" "),
  types: TYPES.join(" "),
  operatorChars: "*+-%<>!=&|/~",
  identifierQuotes: '`"',
  specialVar: "@:?$",
});

const functions: ReadonlySet<string> = new Set(FUNCTIONS);

/** Completes the words of the dialect, except after a dot, where a column follows. */
export const wordsOfSqlite: CompletionSource = (context) => {
  const word = context.matchBefore(/[\p{L}\p{N}_]*/u);
  const from = word?.from ?? context.pos;
  return context.state.sliceDoc(Math.max(0, from - 1), from) === "." ? null : offerWords(context);
};

const offerWords = keywordCompletionSource(sqliteDialect, false, completionOf);

/** A word as completion: functions with parentheses, and the cursor between them. */
function completionOf(label: string, type: string): Completion {
  if (!functions.has(label)) return { label, type };
  return { label, type: "function", detail: "()", apply: insertCall };
}

function insertCall(view: EditorView, { label }: Completion, from: number, to: number): void {
  const isCall = view.state.sliceDoc(to, to + 1) === "(";
  const insert = isCall ? label : `${label}()`;
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor: from + label.length + 1 },
    userEvent: "input.complete",
  });
}
