import { html, tildeEncode } from "rowhouse/plugin-api";
import type { Html, Permission } from "rowhouse/plugin-api";
import type { GrantableDatabase } from "./grantable.js";
import type { IssuedToken } from "./issue.js";

/** Everything the page `/-/create-token` shows. */
export interface TokenPage {
  readonly action: string;
  readonly csrfField: Html;
  readonly actorId: string;
  readonly permissions: readonly Permission[];
  readonly databases: readonly GrantableDatabase[];
  /** Seconds; 0 is no limit. */
  readonly maxLifetimeSeconds: number;
  readonly errors: readonly string[];
  readonly issued: IssuedToken | null;
}

/** The page's content: a new token if one was made, then the form for the next. */
export const tokenPage = (page: TokenPage): Html => html`
  <h1>Create an API token</h1>
  <p>This token acts for <strong>${page.actorId}</strong>. Keep it as secret as a password.</p>
  ${page.errors.map((error) => html`<p class="message-error">${error}</p>`)} ${issuedToken(page)}
  ${tokenForm(page)}
`;

const issuedToken = ({ issued, action }: TokenPage): Html | null =>
  issued &&
  html`
    <h2>Your API token</h2>
    <p>
      <input type="text" id="token" readonly size="60" aria-label="Your API token" value="${issued.token}" />
      <button type="button" data-copy="token" hidden>Copy</button>
    </p>
    <details>
      <summary>Token details</summary>
      <pre>${JSON.stringify(issued.payload, null, 4)}</pre>
    </details>
    <h2>Create another token</h2>
    <p><a href="${action}">Start with an empty form</a></p>
  `;

const tokenForm = ({ action, csrfField, maxLifetimeSeconds, ...page }: TokenPage): Html => html`
  <form action="${action}" method="post">
    ${csrfField}
    <p>
      <label>
        Expiry
        <select name="expire_type">
          <option value="">Token never expires</option>
          ${["minutes", "hours", "days"].map(
            (unit) => html`<option value="${unit}">Expires after X ${unit}</option>`,
          )}
        </select>
      </label>
      <label class="expire-duration">
        X
        <input type="text" name="expire_duration" size="6" inputmode="numeric" />
      </label>
      <button type="submit">Create token</button>
    </p>
    ${maxLifetimeSeconds > 0 && html`<p>No token lives longer than ${maxLifetimeSeconds} seconds.</p>`}
    <details>
      <summary>Restrict actions that can be performed using this token</summary>
      <h2>All databases and tables</h2>
      ${checkboxes("all", page.permissions)}
      ${page.databases.map((one) => databaseGroup(one, page.permissions))}
      ${page.databases.some(({ tables }) => tables.length > 0) && html`<h2>Specific tables</h2>`}
      ${page.databases.map((one) => tableGroups(one, page.permissions))}
    </details>
  </form>
`;

const databaseGroup = ({ name }: GrantableDatabase, permissions: readonly Permission[]): Html => html`
  <h2>All tables in "${name}"</h2>
  ${checkboxes(
    `database:${tildeEncode(name)}`,
    permissions.filter(({ takes_database }) => takes_database),
  )}
`;

const tableGroups = ({ name, tables }: GrantableDatabase, permissions: readonly Permission[]): Html[] =>
  tables.map(
    (table) => html`
      <h3>${name}: ${table}</h3>
      ${checkboxes(
        `resource:${tildeEncode(name)}:${tildeEncode(table)}`,
        permissions.filter(({ takes_resource }) => takes_resource),
      )}
    `,
  );

const checkboxes = (prefix: string, permissions: readonly Permission[]): Html => html`
  <ul class="checkboxes">
    ${permissions.map(
      ({ name }) => html`
        <li>
          <label><input type="checkbox" name="${prefix}:${name}" /> ${name}</label>
        </li>
      `,
    )}
  </ul>
`;
