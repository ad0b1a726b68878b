import type { Actor, Request, Rowhouse } from "rowhouse/plugin-api";
import { isOfToken } from "./csrf-token.js";

/** Safe methods of HTTP. */
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/** A request to check. */
export interface Checked {
  readonly rowhouse: Rowhouse;
  readonly request: Request;
  readonly actor: Actor | null;
  /** The token of its cookie; null if there is no valid one. */
  readonly validToken: string | null;
}

/** True for methods that can change data. */
export const mayChange = ({ method }: Request): boolean => !SAFE_METHODS.has(method);

/** Why a request may be forged by another site; null for an accepted request. */
export async function refusalOf(checked: Checked): Promise<string | null> {
  const { rowhouse, request, actor, validToken } = checked;
  if (!mayChange(request)) return null;
  // Without cookies there is no session to misuse.
  if (request.headers["cookie"] === undefined) return null;
  if (comesFromElsewhere(rowhouse, request)) return "Request was made by another site";
  if (proves(request.headers["x-csrftoken"], validToken)) return null;
  if ((await rowhouse.hooks.skip_csrf.promise(rowhouse, { request })) === true) return null;
  // Only a token that was accepted; otherwise any header would be sufficient.
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

/** True if the headers of the browser name another site. Scripts cannot set these headers. */
function comesFromElsewhere(rowhouse: Rowhouse, request: Request): boolean {
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const origin = request.headers["origin"];
  return origin !== undefined && origin !== new URL(rowhouse.urls.absolute(request, "/")).origin;
}

const proves = (given: string | null | undefined, validToken: string | null): boolean =>
  typeof given === "string" && validToken !== null && isOfToken(given, validToken);

/** The media type of a request's body, in lower case and without parameters; empty when none is named. */
export const mediaType = (request: Request): string =>
  (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";

/** True for a JSON body, which other sites cannot send without a CORS preflight. */
export const isJson = (request: Request): boolean => mediaType(request) === "application/json";

/** A text field of a multipart body; `file-first` if a file comes before it; null if it is missing. */
export type FoundField = { readonly value: string } | "file-first" | null;

/** Looks for one text field among the parts of a `multipart/form-data` body. */
export function multipartField(body: Buffer, contentType: string, name: string): FoundField {
  const boundary = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType);
  const delimiter = boundary?.[1] ?? boundary?.[2];
  if (delimiter === undefined) return null;
  // In Latin-1 each byte is one character, so the bytes of files do not affect the split.
  for (const part of body.toString("latin1").split(`--${delimiter}`).slice(1)) {
    const end = part.indexOf("\r\n\r\n");
    if (end < 0) continue;
    const disposition = /^content-disposition:([^\r\n]*)/im.exec(part.slice(0, end))?.[1] ?? "";
    if (/;\s*filename\*?=/i.test(disposition)) return "file-first";
    if (/;\s*name="([^"]*)"/i.exec(disposition)?.[1] !== name) continue;
    return { value: Buffer.from(part.slice(end + 4).replace(/\r\n$/, ""), "latin1").toString("utf8") };
  }
  return null;
}
