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
  type Rowhouse,
  type Visit,
} from "rowhouse/plugin-api";
import { requireDebugging } from "./check-form.js";
import { heading } from "./heading.js";

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
  if (visit.format !== "html") return reply.json(jsonText(actions));
  return pageReply(visit, {
    template: "actions.html",
    title: "Permissions",
    content: pageMarkup(visit, actions),
    context: { actions },
  });
}

const pageMarkup = ({ rowhouse }: Visit, actions: readonly Permission[]): Html => html`
  ${heading(rowhouse, "/-/actions", "Permissions")}
  <p>What can be allowed or denied, and to everyone if no rule says otherwise.</p>
  <div class="table-wrapper" tabindex="0" role="region" aria-label="Permissions">
    <table class="listing">
      <thead>
        <tr>
          ${HEADINGS.map((text) => html`<th scope="col">${text}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${actions.map((action) => actionRow(rowhouse, action))}
      </tbody>
    </table>
  </div>
`;

const HEADINGS = ["Permission", "Short name", "Asked about", "Without a rule", "Try it"];

const actionRow = ({ urls }: Rowhouse, action: Permission): Html => html`
  <tr id="action-${action.name}">
    <td>
      ${action.description ?? action.name}
      <p class="hint"><code>${action.name}</code></p>
    </td>
    <td>${action.abbr !== null && html`<code>${action.abbr}</code>`}</td>
    <td>${scopeText(action)}</td>
    <td>${action.default ? "allowed" : "denied"}</td>
    <td>
      <a
        href="${urls.path("/-/check")}?action=${encodeURIComponent(action.name)}"
        aria-label="Check ${action.name}"
        >Check</a
      >
    </td>
  </tr>
`;

function scopeText({ takes_database, takes_resource }: Permission): string {
  if (takes_resource) return "a table or query";
  return takes_database ? "a database" : "the instance";
}
