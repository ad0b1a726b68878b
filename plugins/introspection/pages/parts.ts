import { html, type Html, type Visit } from "rowhouse/plugin-api";
import { withMarkup, type HtmlValue } from "rowhouse/plugin-api/html";
import { tOf, type ServerText } from "../texts.js";

/** The pages about the server, in the order of their links. */
const PAGES = [
  ["settings", "server.settings"],
  ["plugins", "server.plugins"],
  ["databases", "server.databases"],
  ["metadata", "server.metadata"],
  ["versions", "server.versions"],
  ["threads", "server.threads"],
  ["actor", "server.actor"],
] as const;

/** The heading of a page about the server, with links to the others and to its JSON document. */
export function heading(visit: Visit, name: string, title: ServerText): Html {
  const t = tOf(visit);
  const { urls } = visit.rowhouse;
  const json = html`<a href="${urls.path(`/-/${name}.json`)}">json</a>`;
  return html`
    <div class="page-heading"><h1>${t(title)}</h1></div>
    <nav class="service-links" aria-label="${t("server.about")}">
      <ul>
        ${PAGES.map(
          ([page, label]) =>
            html`<li>
              <a href="${urls.path(`/-/${page}`)}" ${page === name && html`aria-current="page"`}
                >${t(label)}</a
              >
            </li>`,
        )}
      </ul>
    </nav>
    <p class="data-links"><span>${withMarkup(t("server.data_as"), { format: json })}</span></p>
  `;
}

/** Facts with their names. Null values are left out. */
export const facts = (entries: readonly (readonly [name: string, value: HtmlValue])[]): Html =>
  html`<dl class="facts">
    ${entries
      .filter(([, value]) => value !== null && value !== undefined)
      .map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd dir="auto">${value}</dd>`,
      )}
  </dl>`;

export const code = (text: HtmlValue): Html => html`<code dir="auto">${text}</code>`;
