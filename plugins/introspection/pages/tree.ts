import { html, isObject, type Html } from "rowhouse/plugin-api";
import type { Translator } from "rowhouse/plugin-api/html";

/** Objects deeper than this are closed at first. */
const OPEN_LEVELS = 2;

/** A document as nested lists of names and values, which can be opened and closed. */
export function tree(t: Translator["t"], document: Readonly<Record<string, unknown>>, level = 0): Html {
  return html`<dl class="facts tree">${Object.entries(document).map((named) => entry(t, named, level))}</dl>`;
}

function entry(t: Translator["t"], [name, value]: readonly [string, unknown], level: number): Html {
  const inner = Array.isArray(value) && value.some(isObject) ? { ...value } : value;
  if (!isObject(inner) || Object.keys(inner).length === 0)
    return html`<dt dir="auto">${name}</dt>
      <dd dir="auto">${leaf(t, inner)}</dd>`;
  return html`<dt class="branch" dir="auto">${name}</dt>
    <dd>
      <details ${level < OPEN_LEVELS && OPEN}>
        <summary>
          <span class="figures">${t("server.entries", { count: Object.keys(inner).length })}</span>
        </summary>
        ${tree(t, inner, level + 1)}
      </details>
    </dd>`;
}

const OPEN = html`open`;

function leaf(t: Translator["t"], value: unknown): Html | string {
  if (typeof value === "string")
    return /^https?:\/\//i.test(value) ? html`<a href="${value}" rel="nofollow">${value}</a>` : value;
  if (Array.isArray(value)) return value.map(String).join(", ");
  if (isObject(value)) return html`<span class="figures">${t("server.empty")}</span>`;
  return html`<code>${String(value)}</code>`;
}
