/** Space between a menu and the edge of the window. */
const MARGIN_PX = 8;

const openMenus = (): NodeListOf<HTMLDetailsElement> => document.querySelectorAll("details.menu[open]");

/**
 * A menu closes when something else is clicked or gets the focus. Escape closes it and returns the focus to its button.
 */
export function closeMenusOnOutsideClick(): void {
  document.addEventListener("click", (event) => {
    for (const menu of openMenus()) {
      if (!menu.contains(event.target as Node)) menu.open = false;
    }
  });
  document.addEventListener("focusin", ({ target }) => {
    // Dialogs and menus that a menu has opened are above it, and give the focus back.
    if (target instanceof Element && target.closest("dialog, [popover]") !== null) return;
    for (const menu of openMenus()) {
      if (!menu.contains(target as Node)) menu.open = false;
    }
  });
  document.addEventListener("keydown", ({ key, target }) => {
    // A dialog closes first, and gives the focus back to the menu that has opened it.
    if (key !== "Escape" || (target instanceof Element && target.closest("dialog") !== null)) return;
    for (const menu of openMenus()) {
      menu.open = false;
      menu.querySelector("summary")?.focus();
    }
  });
}

/** Moves the panel of a menu that opens to the left if it would leave the window at the right. */
export function keepMenusInWindow(): void {
  // The event does not bubble.
  document.addEventListener("toggle", ({ target }) => keepInWindow(target), { capture: true });
}

function keepInWindow(menu: EventTarget | null): void {
  if (!(menu instanceof HTMLDetailsElement) || !menu.matches(".menu[open]")) return;
  // Panels in the top layer are placed when they are filled.
  const panel = menu.querySelector<HTMLElement>(":scope > .menu-panel:not([popover])");
  if (panel === null) return;
  panel.style.translate = "";
  const { left, right } = panel.getBoundingClientRect();
  const overflow = right + MARGIN_PX - document.documentElement.clientWidth;
  if (overflow > 0) panel.style.translate = `${-Math.min(overflow, left - MARGIN_PX)}px`;
}
