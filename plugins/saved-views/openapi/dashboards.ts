import {
  documentReply,
  getEndpoint,
  postEndpoint,
  schemaRef,
  type Described,
  type Endpoint,
  type JsonSchema,
  type Parameter,
} from "rowhouse/plugin-api/openapi";

const TEXT: JsonSchema = { type: "string" };

const SENT: JsonSchema = {
  type: "object",
  properties: {
    name: { type: "string", maxLength: 100 },
    private: { type: "boolean" },
    views: { type: "array", items: TEXT, maxItems: 60, description: "Ids of saved views, in order" },
  },
  additionalProperties: false,
};

const ID: Parameter = {
  name: "dashboard",
  in: "path",
  required: true,
  schema: TEXT,
  description: "The id of the dashboard",
};

const DASHBOARD: JsonSchema = { ...schemaRef("Dashboard") };
const ALL = "/-/dashboards";
const ONE = `${ALL}/{dashboard}`;

/** The endpoints of dashboards. @param maySave dashboards have an owner, so that it needs an id */
export function dashboardEndpoints(instance: Described, maySave: boolean): readonly Endpoint[] {
  const reads = [
    getEndpoint(instance, `${ALL}.json`, {
      id: "dashboards",
      summary: "Shared dashboards, and those of the actor",
      reply: documentReply("The dashboards by name", { dashboards: { type: "array", items: DASHBOARD } }),
    }),
    getEndpoint(instance, `${ONE}.json`, {
      id: "dashboard",
      summary: "A dashboard and its views, in order",
      parameters: [ID],
      reply: documentReply("The dashboard", {
        dashboard: DASHBOARD,
        views: { type: "array", items: schemaRef("SavedView") },
      }),
    }),
  ];
  return maySave ? [...reads, ...writeEndpoints(instance)] : reads;
}

const writeEndpoints = (instance: Described): readonly Endpoint[] => [
  postEndpoint(instance, ALL, {
    id: "create_dashboard",
    summary: "Make a dashboard",
    body: SENT,
    status: "201",
    reply: documentReply("The dashboard", { dashboard: DASHBOARD }),
  }),
  postEndpoint(instance, ONE, {
    id: "change_dashboard",
    summary: "Change the members of a dashboard that are sent",
    parameters: [ID],
    body: SENT,
    reply: documentReply("The dashboard", { dashboard: DASHBOARD }),
  }),
  postEndpoint(instance, `${ONE}/delete`, {
    id: "delete_dashboard",
    summary: "Delete a dashboard, not its views",
    parameters: [ID],
    body: { type: "object" },
    reply: documentReply("It is deleted", { deleted: TEXT }),
  }),
];

export const dashboardSchemas: Readonly<Record<string, JsonSchema>> = {
  Dashboard: {
    type: "object",
    properties: {
      id: TEXT,
      name: TEXT,
      url: { type: "string", format: "uri" },
      private: { type: "boolean" },
      owner: TEXT,
      saved: { type: "string", format: "date-time" },
    },
    required: ["id", "name", "url", "private", "owner", "saved"],
  },
};
