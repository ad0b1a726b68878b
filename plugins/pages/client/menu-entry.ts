import { announce, button, element, type MenuEntry } from "rowhouse/browser";

/** The element of an entry. Errors of its action are announced. */
export function entryElement({ label, href, run, isDangerous }: MenuEntry): HTMLLIElement {
  const look = { class: isDangerous === true && "danger" };
  const inside =
    href === undefined
      ? button(label, () => void attempt(run), look)
      : element("a", { href, rel: "nofollow", ...look }, label);
  return element("li", {}, inside);
}

/** The links and buttons of a list of entries. */
export const entryControls = (list: ParentNode): readonly HTMLElement[] => [
  ...list.querySelectorAll<HTMLElement>("li > :is(a, button)"),
];

/** Moves the focus between the entries of a menu by arrow keys, Home and End; from elsewhere to the first or last. */
export function moveByKey(event: KeyboardEvent, list: ParentNode): void {
  const all = entryControls(list);
  const at = all.indexOf(document.activeElement as HTMLElement);
  const before = Math.max(at, 0) - 1;
  const next = { ArrowDown: at + 1, ArrowUp: before, Home: 0, End: all.length - 1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  all.at(next % all.length)?.focus();
}

/** Runs an action of a plugin, and announces its error. */
export async function attempt(run: (() => void | Promise<void>) | undefined): Promise<void> {
  try {
    await run?.();
  } catch (error) {
    // oxlint-disable-next-line no-console -- the author of the plugin needs the stack
    console.warn(error);
    announce(error instanceof Error ? error.message : String(error));
  }
}

/** What plugins contribute; of a contribution that fails, nothing. */
export function entriesOf<Place>(
  contributions: readonly ((place: Place) => readonly MenuEntry[])[],
  place: Place,
): readonly MenuEntry[] {
  return contributions.flatMap((contribution) => {
    try {
      return contribution(place);
    } catch (error) {
      reportError(error);
      return [];
    }
  });
}

/** Places a panel below its button, relative to the window. */
export function placePanel(panel: HTMLElement, button: HTMLElement): void {
  const { left, right, top, bottom } = button.getBoundingClientRect();
  const rightmost = document.documentElement.clientWidth - panel.offsetWidth - 8;
  const start = document.dir === "rtl" ? right - panel.offsetWidth : left;
  panel.style.left = `${Math.max(8, Math.min(start, rightmost))}px`;
  const fitsBelow = bottom + 4 + panel.offsetHeight < document.documentElement.clientHeight;
  panel.style.top = `${fitsBelow ? bottom + 4 : Math.max(8, top - 4 - panel.offsetHeight)}px`;
}
