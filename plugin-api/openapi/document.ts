/** A JSON Schema of OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: "query" | "path" | "header";
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
  readonly style?: "form";
  readonly explode?: boolean;
}

/** Points at a component of the document. */
export interface Reference {
  readonly $ref: string;
}

/** Bodies by their type. */
export type Content = Readonly<Record<string, { readonly schema: JsonSchema | Reference }>>;

/** A reply of an operation. */
export interface Response {
  readonly description: string;
  readonly content?: Content;
}

/** What a method of a path does. */
export interface Operation {
  /** Unique in the document, which appends a number to an id that another operation has. */
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** Its section: the name of the database, or `instance`. */
  readonly tags: readonly string[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

/** An operation, and where it is. */
export interface Endpoint {
  /** Without the `base_url`, with the parts that vary in braces: `/library/books/{id}.json`. */
  readonly path: string;
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  readonly operation: Operation;
}

/**
 * A reference to a schema among the components of the document.
 *
 * @example
 * schemaRef("row_library_books").$ref; // "#/components/schemas/row_library_books"
 */
export const schemaRef = (name: string): Reference => ({ $ref: `#/components/schemas/${name}` });

/**
 * A reference to a reply among the components of the document: `BadRequest`, `Forbidden` or `NotFound`.
 *
 * @example
 * responseRef("NotFound").$ref; // "#/components/responses/NotFound"
 */
export const responseRef = (name: "BadRequest" | "Forbidden" | "NotFound"): Reference => ({
  $ref: `#/components/responses/${name}`,
});

/**
 * A reference to a parameter among the components of the document.
 *
 * @example
 * parameterRef("filters").$ref; // "#/components/parameters/filters"
 */
export const parameterRef = (name: string): Reference => ({ $ref: `#/components/parameters/${name}` });

/**
 * References to parameters, by the names of their components.
 *
 * @example
 * parameterRefs({ q: queryArgument("q", "What is typed") }); // [{ $ref: "#/components/parameters/q" }]
 */
export const parameterRefs = (components: Readonly<Record<string, Parameter>>): readonly Reference[] =>
  Object.keys(components).map(parameterRef);

/**
 * An argument of the query string; of text, if no schema is passed.
 *
 * @example
 * queryArgument("q", "What is typed").in; // "query"
 */
export const queryArgument = (
  name: string,
  description: string,
  schema: JsonSchema | Reference = { type: "string" },
): Parameter => ({ name, in: "query", description, schema: { ...schema } });

/**
 * A request body or reply with JSON.
 *
 * @example
 * jsonContent({ type: "object" }); // { "application/json": { schema: { type: "object" } } }
 */
export const jsonContent = (schema: JsonSchema | Reference): Content => ({ "application/json": { schema } });
