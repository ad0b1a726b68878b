/** Cells that were copied from a spreadsheet: lines of texts separated by tabs, in quotes if they contain either. */
export function parseSheet(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]];
  const end = text.replace(/\r\n?/g, "\n").replace(/\n$/, "");
  const cell = /"((?:[^"]|"")*)"(?=[\t\n]|$)|[^\t\n]*/y;
  while (cell.lastIndex <= end.length) {
    const start = cell.lastIndex;
    const [whole = "", quoted] = cell.exec(end) ?? [];
    rows.at(-1)?.push(quoted === undefined ? whole : quoted.replaceAll('""', '"'));
    const next = start + whole.length;
    if (next >= end.length) break;
    if (end[next] === "\n") rows.push([]);
    cell.lastIndex = next + 1;
  }
  return rows;
}
