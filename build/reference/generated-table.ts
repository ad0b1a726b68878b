/** A page with one of its generated tables in place of the one it had. @throws Error when it has no place for it */
export function replaced(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- npm run docs: ${name} -->`, `<!-- end: ${name} -->`];
  const [start, stop] = [page.indexOf(begin), page.indexOf(end)];
  if (start === -1 || stop === -1)
    throw new Error(`There is no place for ${name} between ${begin} and ${end}`);
  return `${page.slice(0, start + begin.length)}\n\n${text}\n\n${page.slice(stop)}`;
}

const row = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

/** A table in Markdown. */
export const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(heads), row(heads.map(() => "---")), ...rows.map(row)].join("\n");
