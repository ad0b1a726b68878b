import { html, type Html, type Visit } from "rowhouse/plugin-api";
import { serviceLinks, withMarkup, type HtmlValue } from "rowhouse/plugin-api/html";
import { tOf } from "../texts.js";

/** The pages about the server, in the order of their links. */
const PAGES = ["settings", "plugins", "databases", "metadata", "versions", "threads", "actor"] as const;

export type PageName = (typeof PAGES)[number];

/** The heading of a page about the server, with links to the others and to its JSON document. */
export function heading(visit: Visit, name: PageName): Html {
  const t = tOf(visit);
  const { urls } = visit.rowhouse;
  const pathOf = (page: PageName): string => urls.path(`/-/${page}`);
  const links = PAGES.map((page) => ({ href: pathOf(page), label: t(`server.${page}`) }));
  const json = html`<a href="${pathOf(name)}.json">json</a>`;
  return html`
    <div class="page-heading"><h1>${t(`server.${name}`)}</h1></div>
    ${serviceLinks(t("server.about"), links, pathOf(name))}
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
