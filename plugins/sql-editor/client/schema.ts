import type { CompletionSource } from "@codemirror/autocomplete";

/** Columns by table. */
export type SqlSchema = Readonly<Record<string, readonly string[]>>;

/** The data that the page contains. */
export function schemaOf(field: HTMLTextAreaElement): SqlSchema {
  try {
    return JSON.parse(field.dataset["schema"] ?? "{}") as SqlSchema;
  } catch {
    return {};
  }
}

const PLAIN_NAME = /^[a-z_][a-z0-9_]*$/i;

/**
 * Completes the columns of the tables that the statement names, without the name of the table before them. Those of all
 * tables while it names none.
 */
export function columnsOfTablesNamed(schema: SqlSchema): CompletionSource {
  return (context) => {
    const word = context.matchBefore(/[\p{L}_][\p{L}\p{N}_]*/u);
    const isAfterDot = word !== null && context.state.sliceDoc(word.from - 1, word.from) === ".";
    if (word === null || isAfterDot) return null;
    const statement = context.state.doc.toString().toLowerCase();
    const named = Object.entries(schema).filter(([table]) => statement.includes(table.toLowerCase()));
    const isNamed = named.length > 0;
    const options = (isNamed ? named : Object.entries(schema)).flatMap(([table, columns]) =>
      columns.map((label) => ({
        label,
        detail: table,
        type: "property",
        boost: isNamed ? 10 : 0,
        apply: PLAIN_NAME.test(label) ? label : `[${label}]`,
      })),
    );
    return { from: word.from, options, validFor: /^[\p{L}\p{N}_]*$/u };
  };
}
