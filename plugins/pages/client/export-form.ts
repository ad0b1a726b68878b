/** An export of all rows begins with the first one, also on a later page. */
export function exportAllFromFirstRow(): void {
  const form = document.querySelector<HTMLFormElement>(".export form");
  const all = form?.querySelector<HTMLInputElement>("input[name=_stream]");
  const next = form?.querySelector<HTMLInputElement>("input[name=_next]");
  if (!form || !all || !next) return;
  form.addEventListener("submit", () => (next.disabled = all.checked));
}
