import { matchesWords } from "./matches-words.js";

/**
 * Leaves the tables, views and queries of a database that have the typed words in their name. Without this script the
 * server does. A page that it has narrowed does not have the other names.
 */
export function findNamesWhileTyping(): void {
  const field = document.querySelector<HTMLInputElement>(".find-form input[type=search]");
  if (field === null || field.defaultValue !== "") return;
  const lists = [...document.querySelectorAll<HTMLElement>("ul.tables, ul.names")].map((list) => ({
    list,
    heading: list.previousElementSibling,
    items: [...list.children].map((item) => ({ item, name: item.querySelector("a")?.textContent ?? "" })),
  }));
  const links = document.querySelectorAll(".find-form a");
  const narrow = (): void => {
    let found = 0;
    for (const link of links) link.toggleAttribute("hidden", field.value !== "");
    for (const { list, heading, items } of lists) {
      const shown = items.filter(({ item, name }) => {
        const isShown = matchesWords(name, field.value);
        item.toggleAttribute("hidden", !isShown);
        return isShown;
      });
      for (const part of [list, heading]) part?.toggleAttribute("hidden", shown.length === 0);
      found += shown.length;
    }
    document.querySelector("[data-find-nothing]")?.toggleAttribute("hidden", found > 0);
  };
  field.addEventListener("input", narrow);
  // "Back" fills the field again.
  addEventListener("pageshow", narrow);
}
