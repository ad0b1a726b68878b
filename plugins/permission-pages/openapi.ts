import {
  documentReply,
  getEndpoint,
  jsonContent,
  queryArgument,
  type ApiDescription,
  type Described,
  type Endpoint,
} from "rowhouse/plugin-api/openapi";

const TEXT = { type: "string" };
const NULL_OR_TEXT = { type: ["string", "null"] };
const BOOLEAN = { type: "boolean" };
const COUNT = { type: "integer", minimum: 0 };
const NUMBER_FROM_1 = { type: "integer", minimum: 1 };

const action = { ...queryArgument("action", "The name of a permission"), required: true };
const actor = queryArgument("actor", "An actor as JSON; default: that of the request");
const place = [
  queryArgument("parent", "The name of a database"),
  queryArgument("child", "The name of a table, view or query in it"),
];
const page = [
  queryArgument("page", "The number of the page", NUMBER_FROM_1),
  queryArgument("page_size", "Items of a page, at most 200", NUMBER_FROM_1),
];

const itemPlace = { parent: NULL_OR_TEXT, child: NULL_OR_TEXT, resource: TEXT };

/** Decisions. Those about other actors, and their reasons, are only for `permissions-debug`. */
export const api: ApiDescription = {
  actions: ["permissions-debug"],
  instance: (instance) =>
    instance.may("permissions-debug")
      ? [allowed(instance, [actor]), ...debuggingEndpoints(instance)]
      : [allowed(instance, [])],
};

const allowed = (instance: Described, whose: readonly (typeof actor)[]): Endpoint =>
  getEndpoint(instance, "/-/allowed.json", {
    id: "allowed",
    summary: whose.length > 0 ? "Where an actor has a permission" : "Where you have a permission",
    parameters: [action, ...whose, ...place, ...page],
    reply: pageReply({ ...itemPlace, reason: {}, source_plugin: {} }),
  });

const debuggingEndpoints = (instance: Described): readonly Endpoint[] => [
  getEndpoint(instance, "/-/rules.json", {
    id: "rules",
    summary: "What plugins say of a permission of an actor",
    parameters: [action, actor, ...place, ...page],
    reply: pageReply({ ...itemPlace, allow: { enum: [0, 1] }, reason: {}, source_plugin: TEXT }),
  }),
  getEndpoint(instance, "/-/check.json", {
    id: "check",
    summary: "One decision, and the reasons for it",
    parameters: [action, actor, ...place],
    reply: {
      description: "The decision",
      content: jsonContent({
        type: "object",
        properties: { action: TEXT, allowed: BOOLEAN },
        required: ["action", "allowed"],
      }),
    },
  }),
  getEndpoint(instance, "/-/actions.json", {
    id: "actions",
    summary: "All permissions",
    reply: { description: "The permissions", content: jsonContent({ type: "array", items: permission }) },
  }),
];

const permission = {
  type: "object",
  properties: {
    name: TEXT,
    abbr: NULL_OR_TEXT,
    description: NULL_OR_TEXT,
    takes_database: BOOLEAN,
    takes_resource: BOOLEAN,
    default: BOOLEAN,
  },
};

const pageReply = (properties: object) =>
  documentReply("A page of the list", {
    action: TEXT,
    actor_id: NULL_OR_TEXT,
    page: NUMBER_FROM_1,
    page_size: NUMBER_FROM_1,
    total: COUNT,
    items: { type: "array", items: { type: "object", properties } },
  });
