import { html, isObject, type Html } from "rowhouse/plugin-api";

/** Objects deeper than this are closed at first. */
const OPEN_LEVELS = 2;

/** A document as nested lists of names and values, which can be opened and closed. */
export function tree(document: Readonly<Record<string, unknown>>, level = 0): Html {
  return html`<dl class="facts tree">
    ${Object.entries(document).map(([name, value]) => entry(name, value, level))}
  </dl>`;
}

function entry(name: string, value: unknown, level: number): Html {
  const inner = Array.isArray(value) && value.some(isObject) ? { ...value } : value;
  if (!isObject(inner) || Object.keys(inner).length === 0)
    return html`<dt dir="auto">${name}</dt>
      <dd dir="auto">${leaf(inner)}</dd>`;
  return html`<dt class="branch" dir="auto">${name}</dt>
    <dd>
      <details ${level < OPEN_LEVELS && OPEN}>
        <summary><span class="figures">${countOf(inner)}</span></summary>
        ${tree(inner, level + 1)}
      </details>
    </dd>`;
}

const OPEN = html`open`;

function countOf(inner: object): string {
  const count = Object.keys(inner).length;
  return count === 1 ? "1 entry" : `${count} entries`;
}

function leaf(value: unknown): Html | string {
  if (typeof value === "string")
    return /^https?:\/\//i.test(value) ? html`<a href="${value}" rel="nofollow">${value}</a>` : value;
  if (Array.isArray(value)) return value.map(String).join(", ");
  if (isObject(value)) return html`<span class="figures">empty</span>`;
  return html`<code>${String(value)}</code>`;
}
