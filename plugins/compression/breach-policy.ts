import type { Actor, Reply, Request } from "rowhouse/plugin-api";

interface Answered {
  readonly value: Reply;
  readonly request: Request;
  readonly actor: Actor | null;
}

/** What the length of a reply may tell those who can only watch it pass. */
export type Disclosure = "anything" | "about" | "nothing";

/**
 * The compressed length of a page would tell what is secret on it, bit by bit, to who can watch the line and put
 * guesses into the page by making the visitor's browser ask for it again and again. What only a cookie opens is
 * therefore compressed where the visitor or our own pages asked for it, and then with a length that is a little
 * random. A bearer token no browser sends by itself. Form tokens are masked, and `no-transform` says that nobody
 * shall compress.
 */
export function breachPolicyOf({ value, request, actor }: Answered): Disclosure {
  const caching = String(value.headers["cache-control"] ?? "");
  if (/\bno-transform\b/.test(caching)) return "nothing";
  // The same for everybody, as our scripts and styles are.
  if (/\bpublic\b/.test(caching)) return "anything";
  if (actor === null || request.headers["cookie"] === undefined) return "anything";
  return mayBeOfAnotherSite(request) ? "nothing" : "about";
}

function mayBeOfAnotherSite({ headers, secure }: Request): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  // Over plain HTTP browsers don't say, but there whoever watches can read.
  return secure;
}
