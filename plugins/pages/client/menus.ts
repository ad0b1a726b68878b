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
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of openMenus()) {
      menu.open = false;
      menu.querySelector("summary")?.focus();
    }
  });
}
