import { csrfField, pageReply, type Reply, type Route, type Visit } from "rowhouse/plugin-api";
import { grantableDatabases, readTokenForm } from "./token-form.js";
import {
  issueRegistered,
  issueToken,
  reportToken,
  tokenHolder,
  type IssuedToken,
  type TokenHolder,
} from "./issue.js";
import type { FindRegistry } from "./registry/open.js";
import type { TokenRegistry } from "./registry/registry.js";
import { readDraft } from "./token-draft.js";
import { tOf } from "./texts.js";
import { tokenPage } from "./token-markup.js";

const PATH = "/-/create-token";

/** The page on which actors create tokens for themselves. */
export const createTokenRoutes = (findRegistry: FindRegistry): readonly Route[] => [
  {
    name: "create-token",
    path: PATH,
    target: "instance",
    view: (visit) =>
      showForm(visit, tokenHolder(visit, "create"), {
        hasList: findRegistry() !== null,
        form: visit.request.query,
      }),
  },
  {
    name: "create-token-submit",
    method: "POST",
    path: PATH,
    target: "instance",
    view: (visit) => submitForm(visit, findRegistry()),
  },
];

async function submitForm(visit: Visit, registry: TokenRegistry | null): Promise<Reply> {
  const { rowhouse, request } = visit;
  const holder = tokenHolder(visit, "create");
  const { fields: form } = await request.form();
  const hasList = registry !== null;
  if (form.has("add")) return showForm(visit, holder, { hasList, form });
  const t = tOf(visit);
  const submitted = readTokenForm(form, rowhouse.permissions.registered, {
    maxLifetimeSeconds: rowhouse.setting("max_signed_tokens_ttl"),
    t,
  });
  if ("errors" in submitted) return showForm(visit, holder, { hasList, form, errors: submitted.errors });
  const { grants } = submitted;
  const name = form.get("name")?.trim() || t("tokens.unnamed");
  const issued =
    registry === null
      ? issueToken(rowhouse, holder.id, grants)
      : await issueRegistered(rowhouse, registry, { actorId: holder.id, grants, name });
  await reportToken(rowhouse, holder, grants);
  return showForm(visit, holder, { hasList, form: new URLSearchParams(), issued });
}

interface Outcome {
  /** There is a page with the tokens of the actor. */
  readonly hasList: boolean;
  /** The fields that are filled in: those that were sent, or `?place=library/books`. */
  readonly form: URLSearchParams;
  readonly errors?: readonly string[];
  readonly issued?: IssuedToken;
}

async function showForm(
  visit: Visit,
  holder: TokenHolder,
  { hasList, form, errors = [], issued }: Outcome,
): Promise<Reply> {
  const { rowhouse } = visit;
  const databases = await grantableDatabases(rowhouse, holder);
  const t = tOf(visit);
  const page = {
    t,
    action: rowhouse.urls.path(PATH),
    csrfField: csrfField(visit),
    actorId: holder.id,
    permissions: [...rowhouse.permissions.registered.values()],
    databases,
    draft: readDraft(form, databases),
    maxLifetimeSeconds: rowhouse.setting("max_signed_tokens_ttl"),
    errors,
    issued: issued ?? null,
    tokensPath: hasList ? rowhouse.urls.path("/-/tokens") : null,
  };
  return pageReply(visit, {
    template: "create_token.html",
    title: t("tokens.create"),
    content: tokenPage(page),
    context: { ...page, is_translated: true },
    // The page shows the token: it must not be cached, nor compressed, since the length of compressed pages could
    // reveal the token.
    headers: { "cache-control": issued === undefined ? "no-store" : "no-store, no-transform" },
  });
}
