import { BadSignature, PluginError } from "rowhouse/plugin-api/errors";
import {
  isObject,
  type Actor,
  type Permission,
  type Request,
  type Resource,
  type Rowhouse,
} from "rowhouse/plugin-api";
import type { PermissionChecks, ReasonedOpinion } from "rowhouse/plugin-api/access";
import type { TokenGrants, TokenHandler } from "rowhouse/plugin-api/contracts";
import { nowSeconds, RefusedPayload, TOKEN_NAMESPACE, TOKEN_PREFIX, actorOfPayload } from "./payload.js";
import type { TokenPayload } from "./payload.js";
import { issueToken, reportToken } from "./issue.js";
import type { FindRegistry } from "./registry/open.js";

/** The signed part of a token in an `Authorization` header; null for other headers. */
export function bearerToken(header: string | undefined): string | null {
  const scheme = `Bearer ${TOKEN_PREFIX}`;
  return header?.startsWith(scheme) === true ? header.slice(scheme.length) : null;
}

/** The bundled token handler: signed, stateless tokens. */
export const signedTokens = (rowhouse: Rowhouse, findRegistry: FindRegistry): TokenHandler => ({
  name: "signed",
  createToken: (actorId, grants) => issueToken(rowhouse, actorId, grants).token,
  verifyToken: async (token) => {
    const signed = rowhouse.setting("allow_signed_tokens") ? bearerToken(`Bearer ${token}`) : null;
    if (signed === null) return null;
    const payload = rowhouse.unsign(signed, TOKEN_NAMESPACE);
    const actor = actorOfPayload(payload, nowSeconds(), rowhouse.setting("max_signed_tokens_ttl"));
    const registry = await findRegistry();
    if ((await registry?.isRevoked(token)) === true) throw new RefusedPayload("revoked");
    registry?.noteUse(token, payload as TokenPayload);
    return actor;
  },
});

/**
 * The actor of the bearer token of a request, from the first handler that accepts it. Forged, expired or revoked tokens
 * are ignored: the request uses the actor cookie or is anonymous.
 *
 * @throws PluginError if a handler fails, exceeds the time limit or returns no actor
 */
export function actorFromBearer(
  rowhouse: Rowhouse,
  { request }: { readonly request: Request },
): Promise<Actor | null> | null {
  const [, token] = /^Bearer (\S+)$/.exec(request.headers["authorization"] ?? "") ?? [];
  return token === undefined ? null : actorOfToken(rowhouse, token);
}

async function actorOfToken(rowhouse: Rowhouse, token: string): Promise<Actor | null> {
  const handlers = await rowhouse.hooks.register_token_handler.promise([], rowhouse, {});
  for (const handler of handlers) {
    try {
      const actor = (await handler.verifyToken(token)) ?? null;
      if (actor !== null) return actor;
    } catch (error) {
      if (!(error instanceof BadSignature || error instanceof RefusedPayload))
        throw named(rowhouse, handler, error);
      await reportRefusal(rowhouse, error.message);
      return null;
    }
  }
  return null;
}

function named(rowhouse: Rowhouse, handler: TokenHandler, error: unknown): unknown {
  const author = rowhouse.pluginOf(handler);
  const isNamed = author === null || error instanceof PluginError;
  return isNamed ? error : new PluginError(author, `the token handler ${handler.name}`, error);
}

/**
 * Creates a token with the handler of this name, else with the first one that creates tokens.
 *
 * @throws Error if there is none
 */
export async function createToken(
  rowhouse: Rowhouse,
  {
    actorId,
    grants,
    name,
  }: { readonly actorId: string; readonly grants: TokenGrants; readonly name?: string },
): Promise<string> {
  const handlers = await rowhouse.hooks.register_token_handler.promise([], rowhouse, {});
  const handler = handlers.find((one) =>
    name === undefined ? one.createToken !== undefined : one.name === name,
  );
  if (handler?.createToken === undefined)
    throw new Error(`No plugin makes tokens${name === undefined ? "" : ` of the kind ${name}`}`);
  const token = await handler.createToken(actorId, grants);
  await reportToken(rowhouse, null, grants);
  return token;
}

const reportRefusal = async (rowhouse: Rowhouse, reason: string): Promise<void> =>
  rowhouse.serviceIfAny("events")?.track({ name: "refuse-token", actor: null, created: new Date(), reason });

/** The restrictions (`_r`) of an actor for one action: a denial, or no opinion. They never grant. */
export type Restriction = (resource: Resource) => ReasonedOpinion | null;

/** How restrictions are interpreted. */
export interface Vocabulary {
  readonly permissions: ReadonlyMap<string, Permission>;
  /** The setting `restrictions_imply_parents`. */
  readonly impliesParents: boolean;
}

/** The denials of the restrictions of an actor, by resource; null for an actor without restrictions. */
export function restrictedOpinions(
  rowhouse: Rowhouse,
  { actor, action, resources }: PermissionChecks,
): readonly (ReasonedOpinion | null)[] | null {
  const opinionOn = restrictionOf(actor, action, {
    permissions: rowhouse.permissions.registered,
    impliesParents: rowhouse.setting("restrictions_imply_parents"),
  });
  return opinionOn === null ? null : resources.map(opinionOn);
}

/**
 * The restrictions of an actor for one action; null for an actor without restrictions. Malformed parts are ignored.
 */
export function restrictionOf(
  actor: Actor | null,
  action: string,
  { permissions, impliesParents }: Vocabulary,
): Restriction | null {
  if (actor === null || !Object.hasOwn(actor, "_r")) return null;
  const listed = new AllowList(actor["_r"]);
  const abbreviated = (name: string): readonly string[] => {
    const abbr = permissions.get(name)?.abbr;
    return abbr === null || abbr === undefined || abbr === "" ? [name] : [name, abbr];
  };
  const wanted = abbreviated(action);
  const implying = impliesParents ? (IMPLIED_BY.get(action) ?? []).flatMap(abbreviated) : [];
  return (resource) => {
    if (listed.covers(wanted, resource)) return null;
    if (implying.length > 0 && listed.mentionsWithin(implying, resource)) return null;
    return { allowed: false, because: `restricted to a list without ${action}${placeText(resource)}` };
  };
}

/** The listed actions that imply an action on a parent. */
const IMPLIED_BY: ReadonlyMap<string, readonly string[]> = new Map([
  ["view-instance", ["view-database", "view-table", "view-query", "execute-sql"]],
  ["view-database", ["view-table", "view-query", "execute-sql"]],
]);

/** The three lists of a `_r` value, which may be malformed. */
class AllowList {
  readonly #everywhere: readonly unknown[];
  readonly #databases: Block;
  readonly #resources: Block;

  constructor(restrictions: unknown) {
    const block = asBlock(restrictions);
    this.#everywhere = asList(own(block, "a"));
    this.#databases = asBlock(own(block, "d"));
    this.#resources = asBlock(own(block, "r"));
  }

  /** True if one of these names is listed for the resource, its database, or everywhere. */
  covers(names: readonly string[], resource: Resource): boolean {
    if (hasOne(this.#everywhere, names)) return true;
    if (resource === null) return false;
    const [database, name] = typeof resource === "string" ? [resource] : resource;
    if (hasOne(asList(own(this.#databases, database)), names)) return true;
    if (name === undefined) return false;
    return hasOne(asList(own(asBlock(own(this.#resources, database)), name)), names);
  }

  /** True if one of these names is listed for the resource or anything in it. */
  mentionsWithin(names: readonly string[], resource: Resource): boolean {
    if (this.covers(names, resource)) return true;
    if (resource !== null && typeof resource !== "string") return false;
    const databases =
      resource === null ? [...Object.keys(this.#databases), ...Object.keys(this.#resources)] : [resource];
    return databases.some(
      (database) =>
        this.covers(names, database) ||
        Object.values(asBlock(own(this.#resources, database))).some((list) => hasOne(asList(list), names)),
    );
  }
}

type Block = Readonly<Record<string, unknown>>;

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const asBlock = (value: unknown): Block => (isObject(value) ? value : {});

const own = (block: Block, key: string): unknown => (Object.hasOwn(block, key) ? block[key] : undefined);

const hasOne = (list: readonly unknown[], names: readonly string[]): boolean =>
  names.some((name) => list.includes(name));

function placeText(resource: Resource): string {
  if (resource === null) return "";
  return ` on ${typeof resource === "string" ? resource : resource.join("/")}`;
}
