import {
  Forbidden,
  NotFound,
  WriteRejected,
  csrfField,
  html,
  isObject,
  jsonText,
  pageReply,
  reply,
  type Html,
  type Page,
  type Reply,
  type Route,
  type Rowhouse,
  type Visit,
} from "rowhouse/plugin-api";
import { listing, withMarkup, type ListingRow, type Translator } from "rowhouse/plugin-api/html";
import { tokenHolder } from "../issue.js";
import { restrictionWords } from "../restriction-words.js";
import { tOf, type TokenText } from "../texts.js";
import type { FindRegistry } from "./open.js";
import type { KnownToken, TokenRegistry } from "./registry.js";

const PATH = "/-/tokens";

/** Where actors see their tokens and revoke them. The actor `root` sees all tokens. */
export const tokensRoutes = (findRegistry: FindRegistry): readonly Route[] => [
  {
    name: "tokens",
    path: `${PATH}{.:format}`,
    target: "instance",
    view: (visit) => showTokens(visit, openFor(visit, findRegistry)),
  },
  {
    name: "revoke-token",
    method: "POST",
    path: PATH,
    target: "instance",
    view: (visit) => revokeToken(visit, openFor(visit, findRegistry)),
  },
];

interface OpenRegistry {
  readonly registry: TokenRegistry;
  /** The actor whose tokens are listed; null for all. */
  readonly whose: string | null;
}

/** @throws NotFound without a registry, Forbidden for actors that cannot have tokens */
function openFor(visit: Visit, findRegistry: FindRegistry): OpenRegistry {
  const registry = findRegistry();
  if (registry === null)
    throw new NotFound("There is no list of tokens: start the server with --internal to keep one");
  const { id } = tokenHolder(visit, "manage");
  return { registry, whose: id === "root" ? null : id };
}

async function showTokens(visit: Visit, { registry, whose }: OpenRegistry): Promise<Page | Reply> {
  const tokens = await registry.list(whose);
  if (visit.format !== "html") return published(tokens);
  return pageReply(visit, {
    template: "tokens.html",
    title: tOf(visit)("tokens.title"),
    content: pageMarkup(visit, tokens),
    context: { tokens, is_translated: true },
    headers: NOT_KEPT,
  });
}

const NOT_KEPT = { "cache-control": "no-store" };

const published = (tokens: readonly KnownToken[]): Reply =>
  reply.json(
    jsonText({
      ok: true,
      tokens: tokens.map(({ restrictions, ...token }) => ({
        ...token,
        restrictions: restrictions === null ? null : (JSON.parse(restrictions) as unknown),
      })),
    }),
    200,
    NOT_KEPT,
  );

async function revokeToken(visit: Visit, { registry, whose }: OpenRegistry): Promise<Reply> {
  const { rowhouse, request, actor } = visit;
  const isJson = request.headers["content-type"]?.startsWith("application/json") === true;
  const id = isJson ? idIn(await request.json()) : (await request.form()).fields.get("id");
  const revoked = await registry.revoke(id ?? "", whose);
  if (revoked !== null) await reportRevocation(rowhouse, actor, revoked);
  if (revoked === null) throw isJson ? new WriteRejected([UNKNOWN], 404) : new Forbidden(UNKNOWN);
  if (isJson) return reply.json(jsonText({ ok: true, revoked: revoked.id }));
  const t = tOf(visit);
  rowhouse.serviceIfAny("messages")?.add(request, t("tokens.revoked", { name: shownName(t, revoked) }));
  return reply.redirect(rowhouse.urls.path(PATH));
}

const UNKNOWN = "There is no such token, or it is revoked already";

/** The `id` of a JSON object; null for any other value. */
const idIn = (document: unknown): string | null =>
  isObject(document) && "id" in document ? String(document["id"]) : null;

const reportRevocation = async (
  rowhouse: Rowhouse,
  actor: Visit["actor"],
  { id, name, actor: owner }: KnownToken,
): Promise<void> =>
  rowhouse.serviceIfAny("events")?.track({
    name: "revoke-token",
    actor,
    created: new Date(),
    token_id: id,
    token_name: name,
    token_actor: owner,
  });

function pageMarkup(visit: Visit, tokens: readonly KnownToken[]): Html {
  const t = tOf(visit);
  return html`
    <div class="page-heading">
      <h1>${t("tokens.title")}</h1>
      <a class="button quiet" href="${visit.rowhouse.urls.path("/-/create-token")}">${t("tokens.create")}</a>
    </div>
    ${
      tokens.length === 0
        ? html`<p class="empty">${t("tokens.none")}</p>`
        : listing(
            t("tokens.title"),
            HEADINGS.map((heading) => t(heading)),
            tokens.map((token) => tokenRow(visit, token)),
          )
    }
  `;
}

const HEADINGS: readonly TokenText[] = [
  "tokens.name",
  "tokens.for",
  "tokens.may",
  "tokens.made",
  "tokens.expires",
  "tokens.last_used",
  "tokens.revoke",
];

function tokenRow(visit: Visit, token: KnownToken): ListingRow {
  const t = tOf(visit);
  return {
    id: `token-${token.id}`,
    cells: [
      html`<span dir="auto">${shownName(t, token)}</span>`,
      html`<span dir="auto">${token.actor}</span>`,
      restrictionWords(visit, token.restrictions),
      moment(token.made),
      token.expires === null || token.expires > LAST_SECOND ? t("tokens.never") : moment(token.expires),
      token.last_used === null ? t("tokens.not_yet") : moment(token.last_used),
      token.revoked === null
        ? revokeForm(visit, token)
        : withMarkup(t("tokens.revoked_at"), { time: moment(token.revoked) }),
    ],
  };
}

function revokeForm(visit: Visit, token: KnownToken): Html {
  const t = tOf(visit);
  return html`
    <form action="${visit.rowhouse.urls.path(PATH)}" method="post">
      ${csrfField(visit)}
      <input type="hidden" name="id" value="${token.id}" />
      <button
        type="submit"
        class="quiet"
        aria-label="${t("tokens.revoke_named", { name: shownName(t, token) })}"
      >
        ${t("tokens.revoke")}
      </button>
    </form>
  `;
}

const shownName = (t: Translator["t"], { name, id }: KnownToken): string =>
  name ?? t("tokens.elsewhere", { id: id.slice(0, 8) });

/** The end of the year 9999. Later times have no text in the format of `moment`, and some are no `Date`. */
const LAST_SECOND = 253_402_300_799;

function moment(seconds: number): Html {
  const text = new Date(seconds * 1000).toISOString().slice(0, 19);
  return html`<time datetime="${text}Z">${text.replace("T", " ")}</time>`;
}
