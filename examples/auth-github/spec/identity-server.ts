import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface Account {
  readonly id: number;
  readonly login: string;
  readonly name?: string;
  readonly orgs?: readonly string[];
}

/** Speaks OAuth as GitHub does, for an account that says yes to everything. */
export interface IdentityServer {
  readonly url: string;
  /** Who is signed in at the identity server. */
  account: Account;
  close(): Promise<void>;
}

interface Granted {
  readonly account: Account;
  readonly challenge: string;
  readonly redirect: string;
}

export const CLIENT = { id: "client", secret: "hushed" } as const;

export async function identityServer(account: Account): Promise<IdentityServer> {
  const codes = new Map<string, Granted>();
  const tokens = new Map<string, Account>();
  const served = { account };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", url);
    if (pathname === "/login/oauth/authorize") return void authorize(searchParams, response);
    if (pathname === "/login/oauth/access_token") return void exchange(await text(request), response);
    const known = tokens.get((request.headers.authorization ?? "").replace("Bearer ", ""));
    if (known === undefined) return json(response, { message: "Bad credentials" }, 401);
    if (pathname === "/user") return json(response, known);
    json(
      response,
      (known.orgs ?? []).map((login) => ({ login })),
    );
  }

  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const code = randomBytes(8).toString("hex");
    const redirect = query.get("redirect_uri") ?? "";
    codes.set(code, { account: served.account, challenge: query.get("code_challenge") ?? "", redirect });
    const back = new URL(redirect);
    back.search = new URLSearchParams({ code, state: query.get("state") ?? "" }).toString();
    response.writeHead(302, { location: back.href }).end();
  }

  /** Mistakes are answered with status 200, as GitHub does. A code is good for once. */
  function exchange(body: string, response: ServerResponse): void {
    const form = new URLSearchParams(body);
    const granted = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const proof = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isKnown = form.get("client_id") === CLIENT.id && form.get("client_secret") === CLIENT.secret;
    if (!isKnown || granted?.challenge !== proof || granted.redirect !== form.get("redirect_uri")) {
      return json(response, { error: "bad_verification_code" });
    }
    const token = randomBytes(8).toString("hex");
    tokens.set(token, granted.account);
    json(response, { access_token: token, token_type: "bearer" });
  }

  return Object.assign(served, {
    url,
    close: async (): Promise<void> => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  });
}

const json = (response: ServerResponse, value: unknown, status = 200): void =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
