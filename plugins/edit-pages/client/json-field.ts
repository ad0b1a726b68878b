import { button, element, indentJson } from "rowhouse/browser";
import { t } from "./first-texts.js";

/** Says below a field of JSON whether its text is valid, and lays it out on demand. */
export function checkJson(field: HTMLTextAreaElement): void {
  const state = element("span", { role: "status" });
  const indent = (): void => {
    field.value = indentJson(field.value);
    field.rows = Math.min(20, field.value.split("\n").length);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const format = button(t("script.format"), indent, { class: "quiet" });
  const line = element("p", { class: "json-state hint" }, state, " ", format);
  (field.closest(".edit-field") ?? field.parentElement)?.append(line);
  const follow = (): void => {
    const isBlank = field.value.trim() === "";
    const problem = isBlank ? null : problemIn(field.value);
    state.textContent = problem ?? (isBlank ? "" : t("script.valid_json"));
    format.disabled = problem !== null || isBlank;
  };
  field.addEventListener("input", follow);
  follow();
}

function problemIn(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return t("script.invalid_json", { reason: error instanceof Error ? error.message : String(error) });
  }
}
