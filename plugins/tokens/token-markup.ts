import { html, type Html, type Permission } from "rowhouse/plugin-api";
import { withMarkup, type Translator } from "rowhouse/plugin-api/html";
import { actionBoxes } from "./token-actions.js";
import { placeText, placesIn, prefixOf, type Place, type TokenDraft } from "./token-draft.js";
import type { GrantableDatabase } from "./token-form.js";
import type { IssuedToken } from "./issue.js";

/** Everything the page `/-/create-token` shows. */
export interface TokenPage {
  readonly t: Translator["t"];
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
  <h1>${page.t("tokens.create")}</h1>
  <p class="lead">
    ${withMarkup(page.t("tokens.acts_for"), { actor: html`<strong dir="auto">${page.actorId}</strong>` })}
  </p>
  ${page.errors.map((error) => html`<p class="message-error">${error}</p>`)} ${issuedToken(page)}
  ${tokenForm(page)}
  ${page.tokensPath !== null && html`<p><a href="${page.tokensPath}">${page.t("tokens.list")}</a></p>`}
`;

const issuedToken = ({ t, issued, action }: TokenPage): Html | null =>
  issued &&
  html`
    <h2>${t("tokens.new")}</h2>
    <p class="buttons token">
      <input
        type="text"
        id="token"
        readonly
        size="60"
        aria-label="${t("tokens.new")}"
        value="${issued.token}"
      />
      <button type="button" data-copy="token" data-copied="${t("tokens.copied")}" hidden>
        ${t("tokens.copy")}
      </button>
    </p>
    <details>
      <summary>${t("tokens.details")}</summary>
      <pre>${JSON.stringify(issued.payload, null, 4)}</pre>
    </details>
    <h2>${t("tokens.another")}</h2>
    <p><a href="${action}">${t("tokens.empty_form")}</a></p>
  `;

const UNITS = [
  ["minutes", "tokens.after_minutes"],
  ["hours", "tokens.after_hours"],
  ["days", "tokens.after_days"],
] as const;

const tokenForm = ({ t, action, csrfField, maxLifetimeSeconds, draft, ...page }: TokenPage): Html => html`
  <form class="panel" action="${action}" method="post">
    ${csrfField}
    <p class="buttons">
      ${
        page.tokensPath !== null &&
        html`<label>
          ${t("tokens.name")}
          <input type="text" name="name" size="20" maxlength="100" value="${draft.name}" />
        </label>`
      }
      <label>
        ${t("tokens.expiry")}
        <select name="expire_type">
          <option value="">${t("tokens.without_expiry")}</option>
          ${UNITS.map(
            ([unit, text]) =>
              html`<option value="${unit}" ${unit === draft.expireType && html`selected`}>
                ${t(text)}
              </option>`,
          )}
        </select>
      </label>
      <label class="expire-duration">
        ${t("tokens.x")}
        <input
          type="text"
          name="expire_duration"
          size="6"
          inputmode="numeric"
          value="${draft.expireDuration}"
        />
      </label>
      <button type="submit">${t("tokens.submit")}</button>
    </p>
    ${maxLifetimeSeconds > 0 && html`<p>${t("tokens.longest", { count: maxLifetimeSeconds })}</p>`}
    ${restrictions({ t, ...page, draft })}
  </form>
`;

type Restrictable = Pick<TokenPage, "t" | "permissions" | "databases" | "draft">;

/** Actions everywhere, and those in the places that were picked. A place is added by sending the form. */
const restrictions = ({ t, permissions, databases, draft }: Restrictable): Html => html`
  <details ${(draft.ticked.size > 0 || draft.places.length > 0 || draft.unknownPlace !== null) && html`open`}>
    <summary>${t("tokens.restrict")}</summary>
    <p class="hint">${t("tokens.restrict_hint")}</p>
    <fieldset>
      <legend>${t("tokens.all_places")}</legend>
      ${actionBoxes("all", permissions, { t, ticked: draft.ticked, isFocused: false })}
    </fieldset>
    ${draft.places.map((place) => placeActions({ t, permissions, draft }, place))}
    ${databases.length > 0 && placeField({ t, databases, draft })}
  </details>
`;

function placeActions({ t, permissions, draft }: Omit<Restrictable, "databases">, place: Place): Html {
  const prefix = prefixOf(place);
  const { database, table } = place;
  const applicable = permissions.filter(({ takes_database, takes_resource }) =>
    table === null ? takes_database : takes_resource,
  );
  return html`<fieldset>
    <legend dir="auto">
      ${table === null ? t("tokens.all_tables", { database }) : `${database}: ${table}`}
    </legend>
    <input type="hidden" name="shown" value="${prefix}" />
    ${actionBoxes(prefix, applicable, { t, ticked: draft.ticked, isFocused: place === draft.added })}
  </fieldset>`;
}

const placeField = ({
  t,
  databases,
  draft: { unknownPlace, places },
}: Omit<Restrictable, "permissions">): Html => html`
  <div class="token-place">
    <p class="field">
      <label for="token-place">${t("tokens.allow_more")}</label>
      <input
        id="token-place"
        type="text"
        name="place"
        list="token-places"
        placeholder="${t("tokens.place_example")}"
        value="${unknownPlace ?? ""}"
        dir="auto"
        autocomplete="off"
        ${unknownPlace !== null && html`aria-invalid="true" aria-describedby="token-place-error" autofocus`}
      />
    </p>
    <button type="submit" class="quiet" name="add" value="1">${t("tokens.choose_actions")}</button>
    ${
      unknownPlace !== null &&
      html`<p class="message-error" id="token-place-error">
        ${t("tokens.no_such_place", { place: unknownPlace })}
      </p>`
    }
    <datalist id="token-places">
      ${placesIn(databases)
        .filter((place) => !places.includes(place))
        .map((place) => html`<option value="${placeText(place)}"></option>`)}
    </datalist>
  </div>
`;
