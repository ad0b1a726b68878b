import type { Actor, Reply, Request, Rowhouse } from "rowhouse/plugin-api";

interface Answered {
  readonly value: Reply;
  readonly request: Request;
  readonly actor: Actor | null;
}

/**
 * The compressed length of a page would tell what is secret on it, bit by bit, to who can put guesses into the
 * page by making the visitor's browser ask for it. So nothing is compressed that holds a form token, or that shows
 * a visitor what only their cookie opens. A bearer token no browser sends by itself. What is public for every cache,
 * as our scripts and styles are, is no secret.
 */
export function holdsSecret(rowhouse: Rowhouse, { value, request, actor }: Answered): boolean {
  if (value.headers["set-cookie"] !== undefined) return true;
  if (rowhouse.serviceIfAny("csrf")?.isIssued(request) === true) return true;
  if (/\bpublic\b/.test(String(value.headers["cache-control"] ?? ""))) return false;
  return actor !== null && request.headers["cookie"] !== undefined;
}
