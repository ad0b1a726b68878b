import type {
  Endpoint,
  JsonSchema,
  Operation,
  Parameter,
  Reference,
  Response,
} from "rowhouse/plugin-api/openapi";
import { freeName } from "rowhouse/plugin-api/names";

/** The operations of a path. */
export type PathItem = Readonly<Partial<Record<Endpoint["method"], Operation>>>;

/** The operations of each path; each operation has a unique id. */
export function* pathItems(groups: Iterable<readonly Endpoint[]>): Generator<[path: string, item: PathItem]> {
  const ids = new Set<string>();
  for (const endpoints of groups) {
    const items = new Map<string, PathItem>();
    for (const { path, method, operation } of endpoints) {
      const known = items.get(path)?.[method];
      const operationId = freeName(operation.operationId, ids);
      if (known === undefined) ids.add(operationId);
      const complete = known === undefined ? { ...operation, operationId } : either(known, operation);
      items.set(path, { ...items.get(path), [method]: complete });
    }
    yield* [...items].toSorted(byUse);
  }
}

/** What reads comes first, and of that the documents from which others are reached: those with short paths. */
const byUse = (
  [one, its]: readonly [string, PathItem],
  [other, others]: readonly [string, PathItem],
): number =>
  Number(its.get === undefined) - Number(others.get === undefined) || depthOf(one) - depthOf(other);

const depthOf = (path: string): number => path.split("/").length;

/**
 * One operation for two at the same path, which plugins answer by the arguments: the document of a database, or with `sql`
 * the result of a statement. The one with fewer arguments is described first.
 */
function either(known: Operation, added: Operation): Operation {
  const [one, other] = argumentsOf(known) <= argumentsOf(added) ? [known, added] : [added, known];
  const all = [...(one.parameters ?? []), ...(other.parameters ?? [])];
  const parameters = [...new Map(all.map((parameter) => [keyOf(parameter), parameter])).values()];
  const responses = { ...one.responses };
  for (const [status, response] of Object.entries(other.responses)) {
    const first = responses[status];
    responses[status] = first === undefined || "$ref" in first ? response : anyReply(first, response);
  }
  const summary = `${one.summary}; ${lowerFirst(other.summary)}`;
  return { ...one, operationId: known.operationId, summary, parameters, responses };
}

const argumentsOf = ({ parameters = [] }: Operation): number => parameters.length;

/** OpenAPI allows one parameter of a name. */
const keyOf = (parameter: Parameter | Reference): string =>
  "$ref" in parameter ? parameter.$ref : `${parameter.in} ${parameter.name}`;

function anyReply(one: Response, other: Response | Reference): Response {
  if ("$ref" in other) return one;
  const content = { ...one.content };
  for (const [type, { schema }] of Object.entries(other.content ?? {})) {
    const known = content[type]?.schema;
    content[type] = { schema: known === undefined ? schema : anyOf(known, schema) };
  }
  return { description: `${one.description}; ${lowerFirst(other.description)}`, content };
}

const anyOf = (one: JsonSchema | Reference, other: JsonSchema | Reference): JsonSchema => ({
  anyOf: [one, other],
});

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
