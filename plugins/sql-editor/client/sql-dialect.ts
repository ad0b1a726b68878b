import { insertBracket, type Completion, type CompletionSource } from "@codemirror/autocomplete";
import { keywordCompletionSource, SQLDialect } from "@codemirror/lang-sql";
import type { EditorView } from "@codemirror/view";
import { POSTGRES } from "./postgres-words.js";
import { FUNCTIONS, keywordsFor, TYPES, type SqlWords } from "./sql-words.js";

/** What the editor knows about the SQL of an engine. */
export interface EditorSql {
  readonly dialect: SQLDialect;
  /** Completes the words of the dialect, except after a dot, where a column follows. */
  readonly words: CompletionSource;
}

/** The SQL of the engine that the field names; without a name that of SQLite. */
export const editorSql = (field: HTMLElement): EditorSql =>
  field.dataset["dialect"] === "postgres"
    ? sqlWith(POSTGRES, { doubleDollarQuotedStrings: true, identifierQuotes: '"' })
    : sqlWith(
        { keywords: keywordsFor(field), functions: FUNCTIONS, types: TYPES },
        { identifierQuotes: '`"' },
      );

/**
 * The dialects of these names in the library have words of the SQL standard that the engines do not have, and those of
 * command-line tools, but no functions.
 */
function sqlWith({ keywords, functions, types }: SqlWords, quotes: object): EditorSql {
  const dialect = SQLDialect.define({
    keywords: keywords.join(" "),
    builtin: functions.join(" "),
    types: types.join(" "),
    operatorChars: "*+-%<>!=&|/~",
    specialVar: "@:?$",
    ...quotes,
  });
  const isFunction = new Set(functions);
  const offerWords = keywordCompletionSource(dialect, false, (label, type) =>
    completionOf(label, isFunction.has(label) ? "function" : type),
  );
  return {
    dialect,
    words: (context) => {
      const word = context.matchBefore(/[\p{L}\p{N}_]*/u);
      const from = word?.from ?? context.pos;
      return context.state.sliceDoc(Math.max(0, from - 1), from) === "." ? null : offerWords(context);
    },
  };
}

/** A word as completion: functions with parentheses, and the cursor between them. */
const completionOf = (label: string, type: string): Completion =>
  type === "function" ? { label, type, detail: "()", apply: insertCall } : { label, type };

function insertCall(view: EditorView, { label }: Completion, from: number, to: number): void {
  const isCall = view.state.sliceDoc(to, to + 1) === "(";
  const end = from + label.length;
  view.dispatch({
    changes: { from, to, insert: label },
    selection: { anchor: isCall ? end + 1 : end },
    userEvent: "input.complete",
  });
  // The closing parenthesis is one that the editor has added: typing it moves past it.
  const call = isCall ? null : insertBracket(view.state, "(");
  if (call !== null) view.dispatch(call);
}
