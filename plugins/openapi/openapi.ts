/** A JSON Schema of OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: "query" | "path" | "header";
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
  readonly style?: "form";
  readonly explode?: boolean;
}

export interface Reference {
  readonly $ref: string;
}

export interface Response {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema | Reference }>>;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema | Reference }>>;
  };
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

export type Method = "get" | "post";

/** An operation: a method of a path. */
export interface Endpoint {
  readonly path: string;
  readonly method: Method;
  readonly operation: Operation;
}

/** The operations of a path. */
export type PathItem = Readonly<Partial<Record<Method, Operation>>>;

/**
 * Paths and schemas are made while they are iterated, again by each iteration: those of thousands of tables would fill the
 * memory, and the pauses in which V8 collects garbage become longer with it.
 */
export interface OpenApi {
  readonly openapi: "3.1.0";
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Iterable<readonly [path: string, item: PathItem]>;
  readonly components: {
    readonly schemas: Iterable<readonly [name: string, schema: JsonSchema]>;
    readonly parameters: Readonly<Record<string, unknown>>;
    readonly responses: Readonly<Record<string, unknown>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
}

export const schemaRef = (name: string): Reference => ({ $ref: `#/components/schemas/${name}` });

export const responseRef = (name: string): Reference => ({ $ref: `#/components/responses/${name}` });

export const parameterRef = (name: string): Reference => ({ $ref: `#/components/parameters/${name}` });

/** A request body or reply with JSON. */
export const jsonContent = (schema: JsonSchema | Reference) => ({ "application/json": { schema } });
