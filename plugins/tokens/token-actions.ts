import { html, type Html, type Permission } from "rowhouse/plugin-api";

const GROUPS: readonly (readonly [title: string, test: RegExp])[] = [
  ["Read", /^(?:view-(?:instance|database|table|query)|execute-sql)/],
  ["Change rows", /-row$/],
  ["Change tables", /-table$/],
  ["Other", /^/],
];

/** The boxes of one place: actions in words, by what they are about. */
export function actionBoxes(
  prefix: string,
  permissions: readonly Permission[],
  { ticked, isFocused }: { readonly ticked: ReadonlySet<string>; readonly isFocused: boolean },
): Html {
  const grouped = GROUPS.map(([title]) => ({
    title,
    actions: permissions.filter(({ name }) => groupOf(name) === title),
  })).filter(({ actions }) => actions.length > 0);
  const first = grouped[0]?.actions[0];
  return html`<div class="token-actions">
    ${grouped.map(
      ({ title, actions }) =>
        html`<div role="group" aria-label="${title}">
          <strong>${title}</strong>
          <ul class="plain-list">
            ${actions.map((action) =>
              actionBox(`${prefix}:${action.name}`, action, [
                ticked.has(`${prefix}:${action.name}`) && html`checked`,
                isFocused && action === first && html`autofocus`,
              ]),
            )}
          </ul>
        </div>`,
    )}
  </div>`;
}

const groupOf = (action: string): string => GROUPS.find(([, test]) => test.test(action))?.[0] ?? "Other";

const actionBox = (box: string, { name, description }: Permission, attributes: readonly unknown[]): Html =>
  html`<li>
    <label
      ><input type="checkbox" name="${box}" ${attributes} /> ${description || name}
      <code>${name}</code></label
    >
  </li>`;
