import { Forbidden, csrfField, pageReply } from "rowhouse/plugin-api";
import type { Actor, Reply, Route, Rowhouse, TokenGrants, Visit } from "rowhouse/plugin-api";
import { grantableDatabases } from "./grantable.js";
import { issueToken } from "./issue.js";
import type { IssuedToken } from "./issue.js";
import { readTokenForm } from "./token-form.js";
import { tokenPage } from "./token-markup.js";

const PATH = "/-/create-token";

/** GET and POST of the page on which people make tokens for themselves. */
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

type Holder = Actor & { readonly id: string };

/**
 * Who is asking for a token.
 *
 * @throws Forbidden for whoever may not have one
 */
function tokenHolder({ rowhouse, actor }: Pick<Visit, "rowhouse" | "actor">): Holder {
  if (!rowhouse.setting("allow_signed_tokens")) {
    throw new Forbidden("Signed tokens are not enabled for this Rowhouse instance");
  }
  if (actor === null) throw new Forbidden("You must be logged in to create a token");
  if (!hasId(actor)) throw new Forbidden("You must be logged in as an actor with an ID to create a token");
  if (actor["token"]) {
    throw new Forbidden("Token authentication cannot be used to create additional tokens");
  }
  return actor;
}

/** A token names its actor by text; an id of another type could not be told from the text that looks like it. */
const hasId = (actor: Actor): actor is Holder => typeof actor.id === "string" && actor.id !== "";

async function submitForm(visit: Visit): Promise<Reply> {
  const { rowhouse, request } = visit;
  const holder = tokenHolder(visit);
  const body = await request.body(rowhouse.setting("max_post_body_bytes"));
  const submitted = readTokenForm(
    new URLSearchParams(body.toString("utf8")),
    rowhouse.permissions,
    rowhouse.setting("max_signed_tokens_ttl"),
  );
  if ("errors" in submitted) return showForm(visit, holder, { errors: submitted.errors });
  const issued = issueToken(rowhouse, holder.id, submitted.grants);
  await reportToken(rowhouse, holder, submitted.grants);
  return showForm(visit, holder, { issued });
}

interface Outcome {
  readonly errors?: readonly string[];
  readonly issued?: IssuedToken;
}

async function showForm(visit: Visit, holder: Holder, { errors = [], issued }: Outcome): Promise<Reply> {
  const { rowhouse } = visit;
  const page = {
    action: rowhouse.urls.path(PATH),
    csrfField: csrfField(visit),
    actorId: holder.id,
    permissions: [...rowhouse.permissions.values()],
    databases: await grantableDatabases(rowhouse, holder),
    maxLifetimeSeconds: rowhouse.setting("max_signed_tokens_ttl"),
    errors,
    issued: issued ?? null,
  };
  return pageReply(visit, {
    template: "create_token.html",
    title: "Create an API token",
    content: tokenPage(page),
    context: page,
    headers: { "cache-control": "no-store" },
  });
}

async function reportToken(rowhouse: Rowhouse, actor: Actor, grants: TokenGrants): Promise<void> {
  await rowhouse.serviceIfAny("events")?.track({
    name: "create-token",
    actor,
    created: new Date(),
    expires_after: grants.expiresAfter ?? null,
    restrict_all: grants.restrictAll ?? [],
    restrict_database: grants.restrictDatabase ?? {},
    restrict_resource: grants.restrictResource ?? {},
  });
}
