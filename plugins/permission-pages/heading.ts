import { html, type Html, type Visit } from "rowhouse/plugin-api";
import { tOf, type PermissionText } from "./texts.js";

const PAGES = [
  ["/-/permissions", "permissions.recent"],
  ["/-/check", "permissions.why"],
  ["/-/allowed", "permissions.where"],
  ["/-/rules", "permissions.rules"],
  ["/-/actions", "permissions.all"],
  ["/-/allow-debug", "permissions.try_rule"],
] as const;

/** The heading of a page about permissions, with links to the others. */
export function heading(visit: Visit, path: string, title: PermissionText): Html {
  const t = tOf(visit);
  return html`
    <h1>${t(title)}</h1>
    <nav class="service-links" aria-label="${t("permissions.title")}">
      <ul>
        ${PAGES.map(
          ([page, label]) =>
            html`<li>
              <a href="${visit.rowhouse.urls.path(page)}" ${page === path && html`aria-current="page"`}
                >${t(label)}</a
              >
            </li>`,
        )}
      </ul>
    </nav>
  `;
}
