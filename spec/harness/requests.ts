import { once } from "node:events";
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { Actor } from "rowhouse/plugin-api";

/** Options of a request. Without them it is anonymous and has no body. */
export interface RequestOptions {
  /** The actor of the signed cookie; a string is its id. Null, the default, is anonymous. */
  readonly as?: Actor | string | null;
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string;
  /** A JSON body. */
  readonly json?: unknown;
  /** A form, with the CSRF token of the cookie unless it has a `csrftoken`. */
  readonly form?: Readonly<Record<string, string>>;
  /** A body of any type. */
  readonly body?: string | Uint8Array;
  /** By name in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** The parsed body. Integers beyond 2^53 are rounded here, but not in `text`. */
  readonly json: ReturnType<typeof JSON.parse>;
}

/** Signs a value in a namespace, as the server does. */
export type Sign = (value: unknown, namespace: string) => string;

/** Sends a request over HTTP. The path is sent unchanged; redirects are not followed. */
export async function send(port: number, method: string, path: string, content: Content): Promise<TestReply> {
  const { headers, body } = content;
  const sent = httpRequest({ host: "127.0.0.1", port, method, path, headers, agent: false });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return testReply(response, Buffer.concat(chunks));
}

function testReply(response: IncomingMessage, bytes: Buffer): TestReply {
  const { statusCode = 0, headers } = response;
  const text = bytes.toString("utf8");
  return {
    status: statusCode,
    headers,
    bytes,
    text,
    get json() {
      return JSON.parse(text);
    },
  };
}

/** Headers and body of a request. */
export interface Content {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

/** The headers and the body of a request with these options. */
export function contentOf(options: RequestOptions, sign: Sign): Content {
  const { as = null, token, headers: given = {} } = options;
  const actor = as === null ? null : sign({ a: actorOf(as) }, "actor");
  const csrf = actor === null || options.form === undefined ? null : sign("harnessharnessha", "csrf");
  const cookie = cookieText([
    [null, given["cookie"] ?? null],
    ["rowhouse_actor", actor],
    ["rowhouse_csrf", csrf],
  ]);
  const { type, body } = bodyOf(options, csrf);
  return {
    body,
    headers: {
      ...(type === null ? {} : { "content-type": type }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...given,
      ...(cookie === "" ? {} : { cookie }),
    },
  };
}

/** A text is the id of an actor. */
export const actorOf = (actor: Actor | string): Actor => (typeof actor === "string" ? { id: actor } : actor);

const cookieText = (cookies: readonly (readonly [name: string | null, value: string | null])[]): string =>
  cookies
    .filter(([, value]) => value !== null)
    .map(([name, value]) => (name === null ? value : `${name}=${value}`))
    .join("; ");

function bodyOf(
  { json, form, body }: RequestOptions,
  csrf: string | null,
): { type: string | null; body: string | Uint8Array | undefined } {
  if (json !== undefined) return { type: "application/json", body: JSON.stringify(json) };
  if (form === undefined) return { type: null, body };
  const fields = new URLSearchParams({ ...(csrf === null ? {} : { csrftoken: csrf }), ...form });
  return { type: "application/x-www-form-urlencoded", body: fields.toString() };
}
