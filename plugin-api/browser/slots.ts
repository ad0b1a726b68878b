import type { CellPlace, ColumnPlace, RowPlace } from "./places.js";

/** An entry of a menu: a link, or an action. */
export interface MenuEntry {
  readonly label: string;
  /** The address of a link. */
  readonly href?: string;
  /** The action of a button. Errors that it throws are announced. */
  run?(): void | Promise<void>;
  /** True for actions that remove something. */
  readonly isDangerous?: boolean;
}

/** A button above the rows. */
export interface ToolbarButton {
  readonly label: string;
  /** A class for the style sheet of the plugin. */
  readonly className?: string;
  run(): void | Promise<void>;
}

/** A part of the page above the rows that a button of the toolbar opens. */
export interface Panel {
  /** The class of its element: `map`. */
  readonly name: string;
  /** The label of its button, and of the part for screen readers. */
  readonly title: string;
  /** True for the part of the address after `#` that opens the panel. */
  isRequested?(hash: string): boolean;
  /**
   * Fills the element, which is visible then. Called at each opening.
   *
   * @param hash the part of the address after `#` with which the panel opens
   */
  show(place: HTMLElement, hash: string): void | Promise<void>;
  /** Called when the address no longer requests the panel. */
  hide?(): void;
}

/** An action on the selected rows. With at least one, rows have check boxes. */
export interface SelectionAction {
  readonly label: string;
  readonly isDangerous?: boolean;
  run(rows: readonly RowPlace[]): void | Promise<void>;
}

/** The places of a page to which plugins can add, and what each of them takes. */
export interface Slots {
  /** The menu of a column: called when it opens. */
  "column-menu": (column: ColumnPlace) => readonly MenuEntry[];
  /** The menu of a row: called when it opens. */
  "row-menu": (row: RowPlace) => readonly MenuEntry[];
  /** Each cell of the rows: called when it is shown, and again when it was changed. */
  cell: (cell: CellPlace) => void;
  toolbar: ToolbarButton;
  panel: Panel;
  selection: SelectionAction;
}

/** The name of a slot. */
export type SlotName = keyof Slots;

type Contributions = { [Name in SlotName]?: Slots[Name][] };

// All bundles of a page share this object: each contains a copy of this module.
const SHARED = Symbol.for("rowhouse.slots");
const shared = globalThis as { [SHARED]?: Contributions };
const contributions: Contributions = (shared[SHARED] ??= {});

const CHANGE = "rowhouse:slot";

/**
 * Adds something to a place of the page.
 *
 * @example
 * addToSlot("row-menu", (row) => [{ label: "Print", run: () => print() }]);
 */
export function addToSlot<Name extends SlotName>(slot: Name, contribution: Slots[Name]): void {
  const known: Slots[Name][] = contributions[slot] ?? [];
  known.push(contribution);
  contributions[slot] = known as Contributions[Name];
  document.dispatchEvent(new CustomEvent(CHANGE, { detail: slot }));
}

/** What was added to a slot so far, in the order of the scripts. */
export const contributionsTo = <Name extends SlotName>(slot: Name): readonly Slots[Name][] =>
  contributions[slot] ?? [];

/** Calls `listener` with each contribution to a slot: those that exist, and later ones. */
export function onSlotChange<Name extends SlotName>(
  slot: Name,
  listener: (contribution: Slots[Name]) => void,
): void {
  let seen = 0;
  const follow = (): void => {
    const all = contributionsTo(slot);
    for (const added of all.slice(seen)) listener(added);
    seen = all.length;
  };
  document.addEventListener(CHANGE, (event) => {
    if ((event as CustomEvent<SlotName>).detail === slot) follow();
  });
  follow();
}
