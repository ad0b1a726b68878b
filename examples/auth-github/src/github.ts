import { Forbidden } from "rowhouse/plugin-api";
import type { Config } from "./config.js";

const TIME_LIMIT_MS = 10_000;

/** The actor of a GitHub account. `allow` blocks use these keys. */
export interface GithubActor {
  /** `github:123`. A login can be released and registered by another account, a number can't. */
  readonly id: string;
  readonly display: string;
  readonly gh_login: string;
  /** Logins of the organisations, if the configuration requests them. */
  readonly gh_orgs?: readonly string[];
  readonly [key: string]: unknown;
}

interface Grant {
  readonly code: string;
  readonly verifier: string;
  readonly redirect: string;
}

/** Exchanges the code for an access token. @throws Forbidden if GitHub rejects it */
export async function tokenFor(config: Config, grant: Grant, signal: AbortSignal): Promise<string> {
  const answer = await ask(new URL("/login/oauth/access_token", config.site), signal, {
    method: "POST",
    body: new URLSearchParams({
      client_id: config.client_id,
      client_secret: config.client_secret,
      code: grant.code,
      code_verifier: grant.verifier,
      redirect_uri: grant.redirect,
    }),
  });
  // GitHub reports errors with status 200.
  const token = isObject(answer) ? answer["access_token"] : null;
  if (typeof token !== "string" || token === "") throw new Forbidden("GitHub did not accept this sign-in");
  return token;
}

/** Reads the account of an access token. @throws Forbidden without an account */
export async function whoIs(config: Config, token: string, signal: AbortSignal): Promise<GithubActor> {
  const about = (path: string): Promise<unknown> =>
    ask(new URL(config.api.replace(/\/$/, "") + path), signal, {
      headers: { authorization: `Bearer ${token}` },
    });
  const user = await about("/user");
  if (!isObject(user) || typeof user["id"] !== "number" || typeof user["login"] !== "string") {
    throw new Forbidden("GitHub did not say who you are");
  }
  const { id, login, name } = user;
  return {
    id: `github:${id}`,
    display: typeof name === "string" && name !== "" ? name : login,
    gh_login: login,
    ...(config.organisations && { gh_orgs: loginsIn(await about("/user/orgs?per_page=100")) }),
  };
}

const loginsIn = (organisations: unknown): readonly string[] =>
  Array.isArray(organisations)
    ? organisations.filter(isObject).flatMap(({ login }) => (typeof login === "string" ? [login] : []))
    : [];

/** The reply as JSON. @throws Forbidden without a reply; the message contains no tokens or secrets */
async function ask(address: URL, signal: AbortSignal, options: RequestInit): Promise<unknown> {
  try {
    const response = await fetch(address, {
      ...options,
      headers: {
        accept: "application/json",
        "user-agent": "rowhouse-plugin-auth-github",
        ...options.headers,
      },
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MS)]),
      redirect: "error",
    });
    return response.ok ? await response.json() : null;
  } catch {
    throw new Forbidden("GitHub can't be reached");
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
