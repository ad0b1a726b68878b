import { cssClass } from "../html/css.js";
import type { Described, DescribedTable } from "./describe.js";
import {
  jsonContent,
  responseRef,
  type Endpoint,
  type JsonSchema,
  type Operation,
  type Parameter,
  type Reference,
  type Response,
} from "./document.js";

/** An operation without what follows from where it is. */
export interface EndpointParts extends Pick<Operation, "summary" | "description" | "parameters"> {
  /** The end of its id, after the names of the database and the table. */
  readonly id: string;
  readonly reply: Response;
  /** Default: 200. */
  readonly status?: "200" | "201";
}

/** An operation with a body. */
export interface PostParts extends EndpointParts {
  readonly body: JsonSchema | Reference;
}

const FAILURES: Operation["responses"] = {
  "400": responseRef("BadRequest"),
  "403": responseRef("Forbidden"),
  "404": responseRef("NotFound"),
};

/** Where an endpoint is. */
type Place = Pick<Described, "path" | "names" | "tag">;

/**
 * An endpoint that reads.
 *
 * @example
 * const place = { path: "/library/books", names: ["library", "books"], tag: "library" };
 * const reply = documentReply("The words", { words: { type: "array" } });
 * const endpoint = getEndpoint(place, "/-/words.json", { id: "words", summary: "Words", reply });
 * endpoint.path; // "/library/books/-/words.json"
 * endpoint.operation.operationId; // "library_books_words"
 * @param end the end of its path
 */
export const getEndpoint = (place: Place, end: string, parts: EndpointParts): Endpoint => ({
  path: place.path + end,
  method: "get",
  operation: operationOf(place, parts),
});

/**
 * An endpoint that takes a JSON body.
 *
 * @example
 * const instance = { path: "", names: [], tag: "instance" };
 * const reply = documentReply("The number", { count: { type: "integer" } });
 * const parts = { id: "count", summary: "Count", body: { type: "object" }, reply };
 * postEndpoint(instance, "/-/count", parts).path; // "/-/count"
 * @param end the end of its path
 */
export const postEndpoint = (place: Place, end: string, { body, ...parts }: PostParts): Endpoint => ({
  path: place.path + end,
  method: "post",
  operation: {
    ...operationOf(place, parts),
    requestBody: { required: true, content: jsonContent(body) },
  },
});

const operationOf = (
  { names, tag }: Place,
  { id, status = "200", reply, ...parts }: EndpointParts,
): Operation => ({
  operationId: identifier(...names, id),
  ...parts,
  tags: [tag],
  responses: { [status]: reply, ...FAILURES },
});

/**
 * Names as an identifier for programs.
 *
 * @example
 * identifier("library", "books"); // "library_books"
 */
export const identifier = (...names: readonly string[]): string =>
  names.map((name) => cssClass(name).replaceAll("-", "_")).join("_");

/**
 * A reply with a JSON object in which all these members exist.
 *
 * @example
 * documentReply("The words", { words: { type: "array" } }).description; // "The words"
 */
export const documentReply = (
  description: string,
  members: Readonly<Record<string, JsonSchema | Reference>>,
): Response => ({
  description,
  content: jsonContent({
    type: "object",
    properties: { ok: { const: true }, ...members },
    required: ["ok", ...Object.keys(members)],
  }),
});

const PLAIN = /^[A-Za-z_]\w*$/;

/**
 * The path of a row after that of its table, with one parameter for each part of its key.
 *
 * @example
 * rowPlace({ table }).end; // "/{rowid}"
 */
export function rowPlace({ table }: Pick<DescribedTable, "table">): {
  readonly end: string;
  readonly parameters: readonly Parameter[];
} {
  const keys = table.primaryKeys.length > 0 ? table.primaryKeys : ["rowid"];
  const numbered = keys.map((_, index) => `key${index + 1}`);
  const plain = keys.map((key, index) => (PLAIN.test(key) ? key : (numbered[index] ?? "")));
  // A column can have the name of a number.
  const names = new Set(plain).size === keys.length ? plain : numbered;
  const parameters = names.map((name, index): Parameter => ({
    name,
    in: "path",
    required: true,
    description: `${keys[index]}; tilde-encoded, or percent-encoded at the cost of a redirect`,
    schema: { type: "string" },
  }));
  return { end: `/${names.map((name) => `{${name}}`).join(",")}`, parameters };
}
