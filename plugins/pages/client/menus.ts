const openMenus = (): NodeListOf<HTMLDetailsElement> => document.querySelectorAll("details.menu[open]");

/** A click anywhere else closes a menu. Escape closes it and returns the focus to its button. */
export function closeMenusOnOutsideClick(): void {
  document.addEventListener("click", (event) => {
    for (const menu of openMenus()) {
      if (!menu.contains(event.target as Node)) menu.open = false;
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
