import { announce } from "rowhouse/browser";
import { t } from "./texts.js";

/** The server accepts 64 KB, of which cookies and other headers need some. */
const LONGEST_ADDRESS = 60_000;

/** A form whose fields are sent in the address, such as long SQL, would be left for an error without a page. */
export function refuseLongAddresses(): void {
  document.addEventListener("submit", (event) => {
    const { target: form } = event;
    if (!(form instanceof HTMLFormElement) || form.method !== "get") return;
    const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
    const action = form.getAttribute("action") ?? "";
    const count = action.length + new URLSearchParams(fields).toString().length;
    if (count <= LONGEST_ADDRESS) return;
    event.preventDefault();
    announce(t("script.long_address", { count, most: LONGEST_ADDRESS }));
  });
}

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
