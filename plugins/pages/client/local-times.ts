/** Times with a zone, as SQLite and JSON write them. Times without one are shown as they are stored. */
const ZONED = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;
/** Rows that show whether a column has times. */
const LOOKED_AT = 20;

/** Shows times in the zone of the reader. The exact time is their title. */
export function showLocalTimes(): void {
  for (const time of document.querySelectorAll<HTMLTimeElement>("main time[datetime]")) {
    if (ZONED.test(time.dateTime)) show(time, time.dateTime);
  }
  for (const cell of cellsWithTimes()) {
    const text = cell.textContent?.trim() ?? "";
    if (!ZONED.test(text) || cell.childElementCount > 0) continue;
    const time = document.createElement("time");
    show(time, text);
    cell.replaceChildren(time);
  }
}

function show(time: HTMLTimeElement, exact: string): void {
  const local = localText(exact);
  if (local === null) return;
  time.dateTime = exact;
  time.title = exact;
  time.textContent = local;
}

/** Cells of the columns that have a time in one of the first rows. */
function cellsWithTimes(): readonly HTMLElement[] {
  const tables = [
    ...document.querySelectorAll<HTMLTableElement>("table:is(.rows-and-columns, .linking-rows)"),
  ];
  return tables.flatMap(timesOf);
}

function timesOf(table: HTMLTableElement): readonly HTMLElement[] {
  const rows = [...table.querySelectorAll<HTMLTableRowElement>("tbody tr")];
  const places = new Set(
    rows
      .slice(0, LOOKED_AT)
      .flatMap((row) => [...row.cells].filter(hasTime))
      .map(({ cellIndex }) => cellIndex),
  );
  if (places.size === 0) return [];
  const isRecord = table.classList.contains("record");
  return rows.flatMap((row) => [...row.cells].filter(({ cellIndex }) => isRecord || places.has(cellIndex)));
}

// Rows that were read again are among others whose times are shown already.
const hasTime = (cell: HTMLElement): boolean =>
  ZONED.test(cell.textContent?.trim() ?? "") || cell.querySelector("time[datetime]") !== null;

/** `2026-01-31 13:00:00` in the zone of the reader, with seconds and fractions if the time has them; null for no time. */
function localText(exact: string): string | null {
  const time = new Date(exact.replace(" ", "T"));
  if (Number.isNaN(time.valueOf())) return null;
  const shifted = new Date(time.valueOf() - time.getTimezoneOffset() * 60_000).toISOString();
  const [, clock = ""] = /[T ]([\d:.]+)/.exec(exact) ?? [];
  const fraction = /\.\d+/.exec(clock)?.[0] ?? "";
  const digits = clock.length - fraction.length;
  return `${shifted.slice(0, 10)} ${shifted.slice(11, 11 + digits)}${fraction}`;
}
