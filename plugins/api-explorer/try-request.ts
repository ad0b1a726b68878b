import { closeBody, textOfBody } from "rowhouse/plugin-api/http";
import type { Reply, Visit } from "rowhouse/plugin-api";
import { indentJson } from "rowhouse/plugin-api/json";

/** The reply to a GET request of the form without scripts. */
export interface Outcome {
  readonly status: number;
  readonly contentType: string;
  /** Indented JSON, its beginning if it is long; null if the body is not text. */
  readonly text: string | null;
  readonly isCut: boolean;
}

const MOST_CHARACTERS = 100_000;

/** Sends a request to this server with the actor of the page. Null if the path is not of this site. */
export async function tryGet({ rowhouse, request, actor }: Visit, path: string): Promise<Outcome | null> {
  const own = ownPath(rowhouse.urls.path("/"), path);
  if (own === null) return null;
  const host = request.headers["host"] ?? "localhost";
  return outcomeOf(await rowhouse.fetch(own, { headers: { host }, actor }));
}

/** The path without the base URL. The explorer itself is excluded, because it would contain itself. */
function ownPath(base: string, path: string): string | null {
  if (!path.startsWith(base) || path.startsWith("//")) return null;
  const own = `/${path.slice(base.length)}`;
  return own.startsWith("/-/api") || own.startsWith("/-/auth-token") ? null : own;
}

async function outcomeOf(reply: Reply): Promise<Outcome> {
  const contentType = String(reply.headers["content-type"] ?? "");
  if (!/^(text|application\/json)/.test(contentType)) {
    closeBody(reply.body);
    return { status: reply.status, contentType, text: null, isCut: false };
  }
  const text = indented(contentType, await textOfBody(reply.body, MOST_CHARACTERS));
  const isCut = text.length > MOST_CHARACTERS;
  return { status: reply.status, contentType, text: text.slice(0, MOST_CHARACTERS), isCut };
}

const indented = (contentType: string, text: string): string =>
  contentType.startsWith("application/json") ? indentJson(text) : text;
