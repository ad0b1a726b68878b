import { html, type Html, type Permission } from "rowhouse/plugin-api";
import { permissionWords, type Translator } from "rowhouse/plugin-api/html";
import type { TokenText } from "./texts.js";

const GROUPS: readonly (readonly [title: TokenText, test: RegExp])[] = [
  ["tokens.group_read", /^(?:view-(?:instance|database|table|query)|execute-sql)/],
  ["tokens.group_rows", /-row$|^execute-write-sql$/],
  ["tokens.group_tables", /-table$/],
  ["tokens.group_other", /^/],
];

interface BoxOptions {
  readonly t: Translator["t"];
  readonly ticked: ReadonlySet<string>;
  readonly isFocused: boolean;
}

/** The boxes of one place: actions in words, by what they are about. */
export function actionBoxes(
  prefix: string,
  permissions: readonly Permission[],
  { t, ticked, isFocused }: BoxOptions,
): Html {
  const grouped = GROUPS.map(([title]) => ({
    title,
    actions: permissions.filter(({ name }) => groupOf(name) === title),
  })).filter(({ actions }) => actions.length > 0);
  const first = grouped[0]?.actions[0];
  return html`<div class="token-actions">
    ${grouped.map(
      ({ title, actions }) =>
        html`<div role="group" aria-label="${t(title)}">
          <strong>${t(title)}</strong>
          <ul class="plain-list">
            ${actions.map((action) =>
              actionBox(
                `${prefix}:${action.name}`,
                [permissionWords(t, action), action.name],
                [
                  ticked.has(`${prefix}:${action.name}`) && html`checked`,
                  isFocused && action === first && html`autofocus`,
                ],
              ),
            )}
          </ul>
        </div>`,
    )}
  </div>`;
}

const groupOf = (action: string): TokenText =>
  GROUPS.find(([, test]) => test.test(action))?.[0] ?? "tokens.group_other";

const actionBox = (
  box: string,
  [words, action]: readonly [Html | string, string],
  attributes: readonly unknown[],
): Html =>
  html`<li>
    <label><input type="checkbox" name="${box}" ${attributes} /> ${words} <code>${action}</code></label>
  </li>`;
