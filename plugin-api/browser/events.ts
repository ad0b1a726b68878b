import type { RowPlace } from "./places.js";

/** The events of a page of rows, and what their listeners receive. */
export interface PageEvents {
  /** The rows are shown: at the start, and each time they were read again. */
  "rows-loaded": { readonly table: HTMLTableElement };
  /** A cell was changed, and shows its new value. */
  "cell-changed": { readonly row: RowPlace; readonly column: string };
  /** Rows were selected, or are no longer. */
  "selection-changed": { readonly rows: readonly RowPlace[] };
}

type Names = keyof PageEvents;

// The last event of each name, shared by all bundles of a page.
const SHARED = Symbol.for("rowhouse.events");
type Last = { [Name in Names]?: PageEvents[Name] };
const shared = globalThis as { [SHARED]?: Last };
const last: Last = (shared[SHARED] ??= {});

/**
 * Calls `listener` for each event of this name. Events are also events of the document: `rowhouse:cell-changed`, with
 * `detail`. A script that starts after the rows were loaded is called at once.
 *
 * @example
 * const stop = onPage("selection-changed", ({ rows }) => console.log(rows.length));
 * @returns a function that ends the calls
 */
export function onPage<Name extends Names>(
  name: Name,
  listener: (detail: PageEvents[Name]) => void,
): () => void {
  const called = (event: Event): void => listener((event as CustomEvent<PageEvents[Name]>).detail);
  document.addEventListener(`rowhouse:${name}`, called);
  const missed = name === "rows-loaded" ? last[name] : undefined;
  if (missed !== undefined) listener(missed);
  return () => document.removeEventListener(`rowhouse:${name}`, called);
}

/** Fires an event. Scripts that change rows themselves tell others in this way. */
export function firePageEvent<Name extends Names>(name: Name, detail: PageEvents[Name]): void {
  last[name] = detail as Last[Name];
  document.dispatchEvent(new CustomEvent(`rowhouse:${name}`, { detail }));
}
