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
  const document = await request.json();
  if (!isObject(document)) throw new BadRequest("The body must be a JSON object");
  const unknown = Object.keys(document).find((key) => !MEMBERS.includes(key));
  if (unknown !== undefined) throw new BadRequest(`Unknown key: ${unknown}. Use ${MEMBERS.join(", ")}`);
  const { name, query = "", fragment = "", private: isPrivate = true } = document;
  if (typeof name !== "string" || typeof query !== "string" || typeof fragment !== "string")
    throw new BadRequest("name, query and fragment must be text");
  if (typeof isPrivate !== "boolean") throw new BadRequest("private must be true or false");
  return checked({ name, query, fragment, isPrivate });
}

function checked({ name, query, fragment, isPrivate }: SavedQuery): SavedQuery {
  const trimmed = name.trim();
  if (trimmed === "") throw new BadRequest("A view needs a name");
  if (trimmed.length > LONGEST_NAME) throw new BadRequest(`Names have at most ${LONGEST_NAME} characters`);
  if (query.length + fragment.length > LONGEST_QUERY)
    throw new BadRequest(`Views have at most ${LONGEST_QUERY} characters`);
  // The next page of rows is not what was saved: rows come and go.
  const parts = query.replace(/^\?/, "").split("&");
  const kept = parts.filter((part) => part !== "" && !/^_next(?:=|$)/.test(part)).join("&");
  return { name: trimmed, query: kept.replace(/#.*$/s, ""), fragment: fragment.replace(/^#/, ""), isPrivate };
}
