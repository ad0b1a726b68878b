import { t } from "./texts.js";

const MOST_COLUMNS = 4;
const LONGEST = 60;

/** Shows the first values of a referenced row. @param href the address of its page */
export async function showReferenced(place: HTMLElement, href: string): Promise<void> {
  const response = await fetch(`${href}.json?_shape=objects&_labels=on`);
  if (!response.ok) return;
  const { rows } = (await response.json()) as { readonly rows?: readonly Record<string, unknown>[] };
  const values = Object.entries(rows?.[0] ?? {}).filter(([, value]) => value !== null && value !== "");
  const list = document.createElement("dl");
  list.className = "reference-preview";
  for (const [name, value] of values.slice(0, MOST_COLUMNS)) {
    const term = Object.assign(document.createElement("dt"), { textContent: name });
    const detail = Object.assign(document.createElement("dd"), {
      textContent: textOf(value).slice(0, LONGEST),
    });
    term.dir = detail.dir = "auto";
    list.append(term, detail);
  }
  place.querySelector(".reference-preview")?.remove();
  place.append(list);
}

function textOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  return "label" in value ? String(value.label) : t("script.binary");
}
