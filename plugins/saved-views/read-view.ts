import { BadRequest, isObject, type Request } from "rowhouse/plugin-api";
import type { SavedQuery } from "./store.js";

const LONGEST_NAME = 100;
const LONGEST_QUERY = 8000;
const MEMBERS = ["name", "query", "fragment", "private"];

/** True if the request sends JSON; otherwise it is a form. */
export const sendsJson = ({ headers }: Request): boolean =>
  headers["content-type"]?.startsWith("application/json") === true;

/** The view in the body of a request, as JSON or as a form. @throws BadRequest */
export async function readView(request: Request): Promise<SavedQuery> {
  if (!sendsJson(request)) {
    const { fields } = await request.form();
    return checked({
      name: fields.get("name") ?? "",
      query: fields.get("query") ?? "",
      fragment: fields.get("fragment") ?? "",
      isPrivate: fields.get("shared") === null,
    });
  }
  const { name, query = "", fragment = "", private: isPrivate = true } = await readObject(request, MEMBERS);
  if (typeof name !== "string" || typeof query !== "string" || typeof fragment !== "string")
    throw new BadRequest("name, query and fragment must be text");
  if (typeof isPrivate !== "boolean") throw new BadRequest("private must be true or false");
  return checked({ name, query, fragment, isPrivate });
}

/** The JSON object in a body. @throws BadRequest for other JSON, and for an unknown member */
export async function readObject(
  request: Request,
  members: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const document = await request.json();
  if (!isObject(document)) throw new BadRequest("The body must be a JSON object");
  const unknown = Object.keys(document).find((key) => !members.includes(key));
  if (unknown !== undefined) throw new BadRequest(`Unknown key: ${unknown}. Use ${members.join(", ")}`);
  return document;
}

/** The name without spaces around it. @throws BadRequest for a blank or long name */
export function readName(name: string, what: "view" | "dashboard"): string {
  const trimmed = name.trim();
  if (trimmed === "") throw new BadRequest(`A ${what} needs a name`);
  if (trimmed.length > LONGEST_NAME) throw new BadRequest(`Names have at most ${LONGEST_NAME} characters`);
  return trimmed;
}

/** A query string without the page of rows: a view begins at the first one, since rows come and go. */
export const withoutPage = (query: string): string =>
  query
    .split("&")
    .filter((part) => part !== "" && !/^_next(?:=|$)/.test(part))
    .join("&");

function checked({ name, query, fragment, isPrivate }: SavedQuery): SavedQuery {
  const shownName = readName(name, "view");
  if (query.length + fragment.length > LONGEST_QUERY)
    throw new BadRequest(`Views have at most ${LONGEST_QUERY} characters`);
  const kept = withoutPage(query.replace(/^\?/, ""));
  return {
    name: shownName,
    query: kept.replace(/#.*$/s, ""),
    fragment: fragment.replace(/^#/, ""),
    isPrivate,
  };
}
