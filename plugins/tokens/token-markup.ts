import { html, type Html, type Permission } from "rowhouse/plugin-api";
import { tildeEncode } from "rowhouse/plugin-api/http";
import type { GrantableDatabase } from "./token-form.js";
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
  /** The path of the list of tokens; null without `--internal`. */
  readonly tokensPath: string | null;
}

/** The page's content: a new token if one was made, then the form for the next. */
export const tokenPage = (page: TokenPage): Html => html`
  <h1>Create an API token</h1>
  <p class="lead">This token acts for <strong>${page.actorId}</strong>. Keep it as secret as a password.</p>
  ${page.errors.map((error) => html`<p class="message-error">${error}</p>`)} ${issuedToken(page)}
  ${tokenForm(page)}
  ${page.tokensPath !== null && html`<p><a href="${page.tokensPath}">Your API tokens</a></p>`}
`;

const issuedToken = ({ issued, action }: TokenPage): Html | null =>
  issued &&
  html`
    <h2>Your API token</h2>
    <p class="buttons token">
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
  <form class="panel" action="${action}" method="post">
    ${csrfField}
    <p class="buttons">
      ${
        page.tokensPath !== null &&
        html`<label>
          Name
          <input type="text" name="name" size="20" maxlength="100" />
        </label>`
      }
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
    <details data-restrictions>
      <summary>Restrict actions that can be performed using this token</summary>
      <p class="hint">The token may do only what is ticked, and never more than you may do yourself.</p>
      <fieldset>
        <legend>All databases and tables</legend>
        ${checkboxes("all", page.permissions)}
      </fieldset>
      ${page.databases.map((one) => databaseGroup(one, page.permissions))}
      ${page.databases.some(({ tables }) => tables.length > 0) && html`<h2>Specific tables</h2>`}
      ${page.databases.map((one) => tableGroups(one, page.permissions))}
    </details>
  </form>
`;

const databaseGroup = ({ name }: GrantableDatabase, permissions: readonly Permission[]): Html => html`
  <fieldset data-place>
    <legend dir="auto">All tables in "${name}"</legend>
    ${checkboxes(
      `database:${tildeEncode(name)}`,
      permissions.filter(({ takes_database }) => takes_database),
    )}
  </fieldset>
`;

function tableGroups({ name, tables }: GrantableDatabase, permissions: readonly Permission[]): Html | null {
  if (tables.length === 0) return null;
  const applicable = permissions.filter(({ takes_resource }) => takes_resource);
  return html`<details class="token-tables">
    <summary dir="auto">${name}</summary>
    ${tables.map(
      (table) => html`
        <fieldset data-place>
          <legend dir="auto">${name}: ${table}</legend>
          ${checkboxes(`resource:${tildeEncode(name)}:${tildeEncode(table)}`, applicable)}
        </fieldset>
      `,
    )}
  </details>`;
}

const inWords = (description: string | null): Html | null =>
  description === null || description === "" ? null : html`<span class="hint">${description}</span>`;

const checkboxes = (prefix: string, permissions: readonly Permission[]): Html => html`
  <ul class="checkboxes">
    ${permissions.map(
      ({ name, description }) => html`
        <li>
          <label><input type="checkbox" name="${prefix}:${name}" /> ${name} ${inWords(description)}</label>
        </li>
      `,
    )}
  </ul>
`;
