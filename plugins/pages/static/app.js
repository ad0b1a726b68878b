// Pages work without this script; it adds comfort.

// Menus close on a click outside and on Escape.
const openMenus = () => document.querySelectorAll("details.menu[open]");
document.addEventListener("click", (event) => {
  for (const menu of openMenus()) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of openMenus()) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

// A filter row is cleared by its ✖: an empty column means that the filter goes.
for (const button of document.querySelectorAll("[data-clear-filter]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const row = button.closest(".filter-row");
    row.querySelector("select").value = "";
    row.querySelector("input").value = "";
    button.form.requestSubmit();
  });
}

// Ctrl+Enter runs the SQL.
for (const editor of document.querySelectorAll("textarea.sql")) {
  editor.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) editor.form.requestSubmit();
  });
}
