import { html, type Html, type Visit } from "rowhouse/plugin-api";
import { serviceLinks } from "rowhouse/plugin-api/html";
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
  const { urls } = visit.rowhouse;
  const links = PAGES.map(([page, label]) => ({ href: urls.path(page), label: t(label) }));
  return html`
    <h1>${t(title)}</h1>
    ${serviceLinks(t("permissions.title"), links, urls.path(path))}
  `;
}
