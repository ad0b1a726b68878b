/** Rows of a table of a page, cell by cell, the heading left out. */
export type TableRows = readonly (readonly string[])[];

/**
 * The text below a heading, up to the next heading of its level or above.
 *
 * @throws Error when the page has no such heading
 */
export function section(markdown: string, heading: string): string {
  const lines = markdown.split("\n");
  const start = lines.findIndex((line) => line.replace(/^#+ /, "") === heading && line.startsWith("#"));
  if (start === -1) throw new Error(`There is no heading ${heading}`);
  const level = /^#+/.exec(lines[start] ?? "")?.[0].length ?? 0;
  const length = lines
    .slice(start + 1)
    .findIndex((line) => (/^(#+) /.exec(line)?.[1]?.length ?? Infinity) <= level);
  return lines.slice(start + 1, length === -1 ? undefined : start + 1 + length).join("\n");
}

/** The rows of all tables in a text, in order. */
export function tableRows(text: string): TableRows {
  const lines = text.split("\n");
  const isHeading = (index: number): boolean => isRule(lines[index + 1] ?? "");
  return lines
    .filter((line, index) => line.startsWith("|") && !isRule(line) && !isHeading(index))
    .map(cellsOf);
}

const cellsOf = (line: string): string[] =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

const isRule = (line: string): boolean => /^\|(?: *:?-+:? *\|)+ *$/.test(line);

/** The texts in backticks of a cell, in order. */
export const codeIn = (cell: string): readonly string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
