/** Afterwards a visitor who has stopped the request can send the form again. */
const MOST_WAITING_MS = 10_000;

/** A second click on the button of a form, before the reply arrives, would write the same once more. */
export function submitFormsOnce(): void {
  const sent = new Set<EventTarget>();
  document.addEventListener("submit", (event) => {
    const { target } = event;
    const isSentByPage =
      target instanceof HTMLFormElement && target.method === "post" && !event.defaultPrevented;
    if (!isSentByPage) return;
    if (sent.has(target)) return event.preventDefault();
    sent.add(target);
    setTimeout(() => sent.delete(target), MOST_WAITING_MS);
  });
  // Browsers show the same page again after "Back".
  addEventListener("pageshow", () => sent.clear());
}

/** An export of all rows begins with the first one, also on a later page. */
export function exportAllFromFirstRow(): void {
  const form = document.querySelector<HTMLFormElement>(".export form");
  const all = form?.querySelector<HTMLInputElement>("input[name=_stream]");
  const next = form?.querySelector<HTMLInputElement>("input[name=_next]");
  if (!form || !all || !next) return;
  form.addEventListener("submit", () => (next.disabled = all.checked));
}
