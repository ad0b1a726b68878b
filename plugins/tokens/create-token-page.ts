import { csrfField, pageReply } from "rowhouse/plugin-api";
import type { Reply, Route, Visit } from "rowhouse/plugin-api";
import { grantableDatabases, readTokenForm } from "./token-form.js";
import { issueToken, reportToken, tokenHolder } from "./issue.js";
import type { IssuedToken, TokenHolder } from "./issue.js";
import { registryOf } from "./registry/open.js";
import { tokenPage } from "./token-markup.js";

const PATH = "/-/create-token";

/** The page on which actors create tokens for themselves. */
export const createTokenRoutes: readonly Route[] = [
  {
    name: "create-token",
    path: PATH,
    target: "instance",
    view: (visit) => showForm(visit, tokenHolder(visit), {}),
  },
  {
    name: "create-token-submit",
    method: "POST",
    path: PATH,
    target: "instance",
    view: submitForm,
  },
];

async function submitForm(visit: Visit): Promise<Reply> {
  const { rowhouse, request } = visit;
  const holder = tokenHolder(visit);
  const { fields: form } = await request.form();
  const submitted = readTokenForm(
    form,
    rowhouse.permissions.registered,
    rowhouse.setting("max_signed_tokens_ttl"),
  );
  if ("errors" in submitted) return showForm(visit, holder, { errors: submitted.errors });
  const issued = issueToken(rowhouse, holder.id, submitted.grants);
  const registry = await registryOf(rowhouse);
  await registry?.add(issued.token, issued.payload, form.get("name")?.trim() || "unnamed");
  await reportToken(rowhouse, holder, submitted.grants);
  return showForm(visit, holder, { issued });
}

interface Outcome {
  readonly errors?: readonly string[];
  readonly issued?: IssuedToken;
}

async function showForm(visit: Visit, holder: TokenHolder, { errors = [], issued }: Outcome): Promise<Reply> {
  const { rowhouse } = visit;
  const page = {
    action: rowhouse.urls.path(PATH),
    csrfField: csrfField(visit),
    actorId: holder.id,
    permissions: [...rowhouse.permissions.registered.values()],
    databases: await grantableDatabases(rowhouse, holder),
    maxLifetimeSeconds: rowhouse.setting("max_signed_tokens_ttl"),
    errors,
    issued: issued ?? null,
    tokensPath: registryOf(rowhouse) === null ? null : rowhouse.urls.path("/-/tokens"),
  };
  return pageReply(visit, {
    template: "create_token.html",
    title: "Create an API token",
    content: tokenPage(page),
    context: page,
    // The page shows the token: it must not be cached, nor compressed, since the length of compressed pages could
    // reveal the token.
    headers: { "cache-control": issued === undefined ? "no-store" : "no-store, no-transform" },
  });
}
