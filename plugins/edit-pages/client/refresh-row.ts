/**
 * Shows a row as the server shows it now: with labels, units and the cells of plugins. A row that no longer belongs to the
 * page stays until the page is loaded again.
 */
export async function refreshRow(cell: HTMLTableCellElement): Promise<void> {
  const row = cell.closest("tr");
  const href = row?.querySelector("td.type-pk a")?.getAttribute("href");
  if (!row || !href) return;
  const response = await fetch(location.href, { cache: "no-store" });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const links = page.querySelectorAll<HTMLAnchorElement>("table.rows-and-columns td.type-pk a");
  const fresh = [...links].find((link) => link.getAttribute("href") === href)?.closest("tr");
  if (!fresh) return;
  const cells = [...fresh.cells];
  for (const [index, old] of [...row.cells].entries()) {
    const next = cells[index];
    if (next === undefined || next.innerHTML === old.innerHTML) continue;
    old.className = next.className;
    old.replaceChildren(...next.childNodes);
  }
}
