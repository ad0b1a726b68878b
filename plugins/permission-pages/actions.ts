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
import { requireDebugging } from "./check-form.js";

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
    title: "Actions",
    content: tableMarkup(actions),
    context: { actions },
  });
}

const tableMarkup = (actions: readonly Permission[]): Html => html`
  <h1>Actions</h1>
  <table>
    <thead>
      <tr>
        <th scope="col">Name</th>
        <th scope="col">Abbreviation</th>
        <th scope="col">Description</th>
        <th scope="col">Asked about</th>
        <th scope="col">Default</th>
      </tr>
    </thead>
    <tbody>
      ${actions.map(
        (action) => html`
          <tr>
            <td><code>${action.name}</code></td>
            <td>${action.abbr}</td>
            <td>${action.description}</td>
            <td>${scopeText(action)}</td>
            <td>${action.default ? "allow" : "deny"}</td>
          </tr>
        `,
      )}
    </tbody>
  </table>
`;

function scopeText({ takes_database, takes_resource }: Permission): string {
  if (takes_resource) return "a table or query";
  return takes_database ? "a database" : "the instance";
}
