import {
  html,
  jsonText,
  pageReply,
  permissionChain,
  reply,
  type Html,
  type Permission,
  type Reply,
  type Route,
  type Visit,
} from "rowhouse/plugin-api";
import { listing, permissionWords, type ListingRow, type Translator } from "rowhouse/plugin-api/html";
import { requireDebugging } from "./check-form.js";
import { heading } from "./heading.js";
import { tOf, type PermissionText } from "./texts.js";

/** All registered permissions, as a page or as JSON. */
export const actionsRoute: Route = {
  name: "actions",
  path: "/-/actions{.:format}",
  target: "instance",
  permissions: permissionChain,
  view: showActions,
};

async function showActions(visit: Visit): Promise<Reply> {
  await requireDebugging(visit);
  const actions = [...visit.rowhouse.permissions.registered.values()];
  if (visit.format !== "html") return reply.json(jsonText(actions.map(record)));
  return pageReply(visit, {
    template: "actions.html",
    title: tOf(visit)("permissions.title"),
    content: pageMarkup(visit, actions),
    context: { actions, is_translated: true },
  });
}

/** The published record of a permission, with the members that its plugin left out. */
const record = (permission: Partial<Permission>): object => ({
  name: permission.name,
  abbr: permission.abbr ?? null,
  description: permission.description ?? null,
  takes_database: permission.takes_database ?? false,
  takes_resource: permission.takes_resource ?? false,
  default: permission.default ?? false,
});

function pageMarkup(visit: Visit, actions: readonly Permission[]): Html {
  const t = tOf(visit);
  const checkPath = visit.rowhouse.urls.path("/-/check");
  return html`
    ${heading(visit, "/-/actions", "permissions.title")}
    <p>${t("permissions.about_actions")}</p>
    ${listing(
      t("permissions.title"),
      HEADINGS.map((text) => t(text)),
      actions.map((action) => actionRow(t, action, checkPath)),
    )}
  `;
}

const HEADINGS: readonly PermissionText[] = [
  "permissions.permission",
  "permissions.short_name",
  "permissions.asked_about",
  "permissions.without_rule",
  "permissions.try_it",
];

const actionRow = (t: Translator["t"], action: Permission, checkPath: string): ListingRow => ({
  id: `action-${action.name}`,
  cells: [
    html`${permissionWords(t, action)}
      <p class="hint"><code>${action.name}</code></p>`,
    action.abbr === null ? "" : html`<code>${action.abbr}</code>`,
    t(scopeOf(action)),
    action.default ? t("permissions.allowed") : t("permissions.denied"),
    html`<a
      href="${checkPath}?action=${encodeURIComponent(action.name)}"
      aria-label="${t("permissions.check_named", { name: action.name })}"
      >${t("permissions.check")}</a
    >`,
  ],
});

function scopeOf({ takes_database, takes_resource }: Permission): PermissionText {
  if (takes_resource) return "permissions.of_table";
  return takes_database ? "permissions.of_database" : "permissions.of_instance";
}
