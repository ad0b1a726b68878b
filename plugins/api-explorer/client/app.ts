/** Runs the requests of the API explorer in the page. The fragment of the URL contains the request. */
import { element, indentJson, jsonTokens, scriptTexts } from "rowhouse/browser";
import { scriptEnglish } from "./english.js";

const t = scriptTexts(scriptEnglish);

interface Asked {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly json: string;
}

// Longer texts are not coloured, because this would take too long.
const MOST_COLOURED = 200_000;

/** The last request. Only the reply to it is shown. */
let latest: Asked | null = null;

const answer = document.querySelector<HTMLElement>(".api-answer");
const forms = [...document.querySelectorAll<HTMLFormElement>("form[data-api]")];

for (const form of forms) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const asked = askedBy(form);
    history.replaceState(null, "", `#${fragmentOf(asked)}`);
    void run(asked);
  });
}
for (const button of document.querySelectorAll<HTMLButtonElement>("[data-needs-script]"))
  button.disabled = false;
for (const link of document.querySelectorAll<HTMLAnchorElement>("a[data-endpoint]")) {
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const asked = askedByLink(link);
    history.pushState(null, "", `#${fragmentOf(asked)}`);
    show(asked);
  });
}
addFormatButton();
addEventListener("hashchange", showFragment);
addEventListener("popstate", showFragment);
showFragment();

function askedBy(form: HTMLFormElement): Asked {
  const data = new FormData(form);
  return {
    method: form.dataset["api"] === "POST" ? "POST" : "GET",
    path: String(data.get("path") ?? ""),
    json: String(data.get("json") ?? ""),
  };
}

function askedByLink({ href }: HTMLAnchorElement): Asked {
  const { hash, searchParams } = new URL(href);
  if (hash !== "") return askedInFragment(hash);
  return { method: "GET", path: searchParams.get("path") ?? "", json: "" };
}

function askedInFragment(hash: string): Asked {
  const values = new URLSearchParams(hash.slice(1));
  const method = values.get("method") === "POST" ? "POST" : "GET";
  return { method, path: values.get("path") ?? "", json: values.get("json") ?? "" };
}

function fragmentOf({ method, path, json }: Asked): string {
  return new URLSearchParams({ path, method, ...(method === "POST" && { json }) }).toString();
}

function showFragment(): void {
  const asked = askedInFragment(location.hash);
  if (asked.path !== "") show(asked);
}

/** Fills the form. GET requests are sent at once; other requests are sent by the user. */
function show(asked: Asked): void {
  const form = forms.find(({ dataset }) => dataset["api"] === asked.method);
  const path = form?.querySelector<HTMLInputElement>("[name=path]");
  const json = form?.querySelector<HTMLTextAreaElement>("[name=json]");
  if (!form || !path) return;
  path.value = asked.path;
  if (json) json.value = asked.json;
  if (asked.method === "GET") void run(asked);
  else answer?.replaceChildren();
  form.scrollIntoView({ block: "nearest" });
  path.focus();
  const placeholder = /\{[^}]*\}(?:,\{[^}]*\})*/.exec(asked.path);
  if (placeholder) path.setSelectionRange(placeholder.index, placeholder.index + placeholder[0].length);
}

async function run(asked: Asked): Promise<void> {
  if (!answer) return;
  latest = asked;
  const url = ownUrl(asked.path);
  if (url === null) return say(t("script.api.own_paths"));
  answer.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(url, {
      method: asked.method,
      headers: {
        accept: "application/json",
        ...(asked.method === "POST" && { "content-type": "application/json" }),
      },
      ...(asked.method === "POST" && { body: asked.json }),
    });
    const nodes = await responseNodes(response);
    if (asked === latest) answer.replaceChildren(...nodes);
  } catch (error) {
    if (asked === latest) say(t("script.api.failed", { reason: String(error) }));
  }
  if (asked === latest) answer.removeAttribute("aria-busy");
}

/** Null for addresses of other sites and invalid addresses. */
function ownUrl(path: string): URL | null {
  if (!path.startsWith("/") || !URL.canParse(path, location.href)) return null;
  const url = new URL(path, location.href);
  return url.origin === location.origin ? url : null;
}

async function responseNodes(response: Response): Promise<readonly Node[]> {
  const type = response.headers.get("content-type") ?? "";
  const status = element(
    "span",
    { class: `status ${response.ok ? "status-good" : "status-bad"}` },
    `${response.status} ${response.statusText}`.trim(),
  );
  const heading = element("h2", {}, `${t("script.api.answer")} `, status);
  if (!/^(text|application\/json)/.test(type)) {
    const named = type || t("script.api.unknown_type");
    return [heading, element("p", {}, t("script.api.file", { type: named }))];
  }
  const text = await response.text();
  return [heading, ...errorList(type, text), codeBlock(type, text)];
}

/** The errors of the reply, shown above the JSON. */
function errorList(type: string, text: string): Node[] {
  if (!type.startsWith("application/json")) return [];
  const errors = errorsIn(text);
  if (errors.length === 0) return [];
  const items = errors.map((error) => element("li", {}, error));
  return [element("ul", { class: "message message-error", lang: "en" }, ...items)];
}

function errorsIn(text: string): string[] {
  try {
    const { ok, errors, error } = JSON.parse(text) as { ok?: unknown; errors?: unknown; error?: unknown };
    if (ok !== false) return [];
    return Array.isArray(errors) ? errors.map(String) : [String(error ?? "")].filter(Boolean);
  } catch {
    return [];
  }
}

function codeBlock(type: string, text: string): HTMLPreElement {
  const isColoured = type.startsWith("application/json") && text.length < MOST_COLOURED;
  const parts = isColoured ? jsonTokens(text).map(tokenNode) : [text];
  return element("pre", { class: "json", tabindex: "0" }, element("code", {}, ...parts));
}

function tokenNode({ kind, text }: { readonly kind: string; readonly text: string }): Node | string {
  if (kind === "space" || kind === "symbol") return text;
  return element("span", { class: `json-${kind}` }, text);
}

function addFormatButton(): void {
  const button = document.querySelector<HTMLButtonElement>("[data-format-json]");
  const field = document.querySelector<HTMLTextAreaElement>("textarea[name=json]");
  if (!button || !field) return;
  button.hidden = false;
  button.addEventListener("click", () => {
    try {
      JSON.parse(field.value);
      field.setCustomValidity("");
      field.value = indentJson(field.value);
    } catch (error) {
      field.setCustomValidity(t("script.api.no_json", { reason: String(error) }));
      field.reportValidity();
    }
  });
  field.addEventListener("input", () => field.setCustomValidity(""));
}

function say(text: string): void {
  answer?.replaceChildren(element("p", { class: "message message-error" }, text));
}
