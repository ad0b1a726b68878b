import { html, type Html, type Permission } from "rowhouse/plugin-api";
import { actionBoxes } from "./token-actions.js";
import { placeText, placesIn, prefixOf, type Place, type TokenDraft } from "./token-draft.js";
import type { GrantableDatabase } from "./token-form.js";
import type { IssuedToken } from "./issue.js";

/** Everything the page `/-/create-token` shows. */
export interface TokenPage {
  readonly action: string;
  readonly csrfField: Html;
  readonly actorId: string;
  readonly permissions: readonly Permission[];
  readonly databases: readonly GrantableDatabase[];
  readonly draft: TokenDraft;
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

const tokenForm = ({ action, csrfField, maxLifetimeSeconds, draft, ...page }: TokenPage): Html => html`
  <form class="panel" action="${action}" method="post">
    ${csrfField}
    <p class="buttons">
      ${
        page.tokensPath !== null &&
        html`<label>
          Name
          <input type="text" name="name" size="20" maxlength="100" value="${draft.name}" />
        </label>`
      }
      <label>
        Expiry
        <select name="expire_type">
          <option value="">Token never expires</option>
          ${["minutes", "hours", "days"].map(
            (unit) =>
              html`<option value="${unit}" ${unit === draft.expireType && html`selected`}>
                Expires after X ${unit}
              </option>`,
          )}
        </select>
      </label>
      <label class="expire-duration">
        X
        <input
          type="text"
          name="expire_duration"
          size="6"
          inputmode="numeric"
          value="${draft.expireDuration}"
        />
      </label>
      <button type="submit">Create token</button>
    </p>
    ${maxLifetimeSeconds > 0 && html`<p>No token lives longer than ${maxLifetimeSeconds} seconds.</p>`}
    ${restrictions(page.permissions, page.databases, draft)}
  </form>
`;

/** Actions everywhere, and those in the places that were picked. A place is added by sending the form. */
const restrictions = (
  permissions: readonly Permission[],
  databases: readonly GrantableDatabase[],
  draft: TokenDraft,
): Html => html`
  <details ${(draft.ticked.size > 0 || draft.places.length > 0 || draft.unknownPlace !== null) && html`open`}>
    <summary>Restrict actions that can be performed using this token</summary>
    <p class="hint">The token may do only what is ticked, and never more than you may do yourself.</p>
    <fieldset>
      <legend>All databases and tables</legend>
      ${actionBoxes("all", permissions, { ticked: draft.ticked, isFocused: false })}
    </fieldset>
    ${draft.places.map((place) => placeActions(place, permissions, draft))}
    ${databases.length > 0 && placeField(databases, draft)}
  </details>
`;

function placeActions(place: Place, permissions: readonly Permission[], draft: TokenDraft): Html {
  const prefix = prefixOf(place);
  const { database, table } = place;
  const applicable = permissions.filter(({ takes_database, takes_resource }) =>
    table === null ? takes_database : takes_resource,
  );
  return html`<fieldset>
    <legend dir="auto">${table === null ? `All tables in "${database}"` : `${database}: ${table}`}</legend>
    <input type="hidden" name="shown" value="${prefix}" />
    ${actionBoxes(prefix, applicable, { ticked: draft.ticked, isFocused: place === draft.added })}
  </fieldset>`;
}

const placeField = (
  databases: readonly GrantableDatabase[],
  { unknownPlace, places }: TokenDraft,
): Html => html`
  <div class="token-place">
    <p class="field">
      <label for="token-place">Allow more in one database or table</label>
      <input
        id="token-place"
        type="text"
        name="place"
        list="token-places"
        placeholder="database or database/table"
        value="${unknownPlace ?? ""}"
        dir="auto"
        autocomplete="off"
        ${unknownPlace !== null && html`aria-invalid="true" aria-describedby="token-place-error" autofocus`}
      />
    </p>
    <button type="submit" class="quiet" name="add" value="1">Choose its actions</button>
    ${
      unknownPlace !== null &&
      html`<p class="message-error" id="token-place-error">
        There is no database or table “${unknownPlace}” that you may view.
      </p>`
    }
    <datalist id="token-places">
      ${placesIn(databases)
        .filter((place) => !places.includes(place))
        .map((place) => html`<option value="${placeText(place)}"></option>`)}
    </datalist>
  </div>
`;
