import { button, element, onSlotChange, type Panel, type ToolbarButton } from "rowhouse/browser";
import { attempt } from "./menu-entry.js";
import { makeOneStop, type OneStop } from "./one-stop.js";
import { t } from "./texts.js";

/** The buttons of the toolbar; null on a page without one. */
let stop: OneStop | null = null;

/** The element above which panels are shown: the first that exists, apart from tables inside of panels. */
const ROWS = ":is(.browse, .table-wrapper):not(.panel *)";

/** Shows what plugins add above the rows: buttons, and panels with a button each. */
export function showToolbarSlots(): void {
  const bar = document.querySelector<HTMLElement>("[data-toolbar]");
  const chips = document.querySelector<HTMLElement>(".filter-chips");
  if (chips !== null) makeOneStop(chips, "a");
  if (bar !== null) {
    bar.setAttribute("role", "toolbar");
    bar.setAttribute("aria-label", t("script.toolbar"));
    stop = makeOneStop(bar, "button, .menu > summary");
  }
  onSlotChange("toolbar", (added) => void addButton(added));
  onSlotChange("panel", offerPanel);
}

/** @returns null on a page without a toolbar */
function addButton({ label, className = "", run }: ToolbarButton): HTMLButtonElement | null {
  const bar =
    document.querySelector("[data-toolbar]") ?? document.querySelector('.data-links:has(a[href*=".json"])');
  if (bar === null) return null;
  const added = button(label, () => void attempt(run), { class: `quiet ${className}`.trim() });
  bar.append(added);
  stop?.update();
  return added;
}

function offerPanel(panel: Panel): void {
  const show = async (hash: string): Promise<void> => {
    const place = panelPlace(panel);
    if (place === null) return;
    place.hidden = false;
    await attempt(() => panel.show(place, hash));
  };
  addButton({ label: panel.title, className: `${panel.name}-button`, run: () => show(location.hash) });
  const follow = (hash: string): void => {
    if (panel.isRequested?.(hash) === true) void show(hash);
    // A link to a part of the page, such as `#export`, does not close the panel.
    else if (document.querySelector(":target") === null) panel.hide?.();
  };
  // A panel that is still loading may have written its settings into the address since.
  addEventListener("hashchange", ({ newURL }) => follow(new URL(newURL).hash));
  follow(location.hash);
}

/** The element of a panel above the rows. A script that runs before the page is drawn may have created it. */
function panelPlace({ name, title }: Panel): HTMLElement | null {
  const there = document.querySelector<HTMLElement>(`section.${CSS.escape(name)}`);
  const rows = document.querySelector(ROWS);
  there?.setAttribute("aria-label", title);
  if (there !== null || rows === null) return there;
  const place = element("section", { class: `${name} panel`, "aria-label": title });
  rows.before(place);
  return place;
}
