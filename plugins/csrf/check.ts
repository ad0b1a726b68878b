import type { Actor, Request, Rowhouse } from "rowhouse/plugin-api";
import { isOfToken } from "./masked-token.js";
import { mediaType } from "./media-type.js";
import { multipartField } from "./multipart.js";

/** Methods that change nothing, by definition. */
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/** A request to be checked, with what is known about it. */
export interface Checked {
  readonly rowhouse: Rowhouse;
  readonly request: Request;
  readonly actor: Actor | null;
  /** The token of its cookie, null without a valid one. */
  readonly validToken: string | null;
}

/** Could this request do harm at all, were it made by another site? */
export const mayChange = ({ method }: Request): boolean => !SAFE_METHODS.has(method);

/** Why a request may have been made by another site behind a person's back; null when it was not. */
export async function refusalOf(checked: Checked): Promise<string | null> {
  const { rowhouse, request, actor, validToken } = checked;
  if (!mayChange(request)) return null;
  // Without cookies there is nobody's session to misuse.
  if (request.headers["cookie"] === undefined) return null;
  if (comesFromElsewhere(rowhouse, request)) return "Request was made by another site";
  if (proves(request.headers["x-csrftoken"], validToken)) return null;
  if ((await rowhouse.hooks.skip_csrf.promise(rowhouse, { request })) === true) return null;
  // Only a token that somebody accepted: else any header would do.
  if (actor?.["token"] && request.headers["authorization"]?.startsWith("Bearer ") === true) return null;
  return formRefusal(checked);
}

async function formRefusal({ request, validToken }: Checked): Promise<string | null> {
  const type = mediaType(request);
  if (type !== "application/x-www-form-urlencoded" && type !== "multipart/form-data") {
    return "Unknown content-type";
  }
  const body = await request.body();
  if (type === "application/x-www-form-urlencoded") {
    const field = new URLSearchParams(body.toString("utf8")).get("csrftoken");
    return proves(field, validToken) ? null : "form-urlencoded POST field did not match cookie";
  }
  const found = multipartField(body, request.headers["content-type"] ?? "", "csrftoken");
  if (found === "file-first") {
    return "File encountered before csrftoken - make sure csrftoken is first in the HTML";
  }
  return proves(found?.value, validToken) ? null : "multipart/form-data POST field did not match cookie";
}

/** What the browser itself says about where the request was made; scripts can't set these headers. */
function comesFromElsewhere(rowhouse: Rowhouse, request: Request): boolean {
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const origin = request.headers["origin"];
  return origin !== undefined && origin !== new URL(rowhouse.urls.absolute(request, "/")).origin;
}

const proves = (given: string | null | undefined, validToken: string | null): boolean =>
  typeof given === "string" && validToken !== null && isOfToken(given, validToken);
