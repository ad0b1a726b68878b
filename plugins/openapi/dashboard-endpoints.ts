import { jsonContent, schemaRef, type Endpoint, type JsonSchema } from "./openapi.js";
import { failures } from "./read-endpoints.js";

const TEXT: JsonSchema = { type: "string" };
const IDS: JsonSchema = {
  type: "array",
  items: TEXT,
  maxItems: 60,
  description: "Ids of saved views, in order",
};

const SENT: JsonSchema = {
  type: "object",
  properties: {
    name: { type: "string", maxLength: 100 },
    private: { type: "boolean" },
    views: IDS,
  },

  additionalProperties: false,
};

const answered = (status: string, description: string, members: Readonly<Record<string, JsonSchema>>) => ({
  [status]: {
    description,
    content: jsonContent({
      type: "object",
      properties: { ok: { const: true }, ...members },
      required: ["ok", ...Object.keys(members)],
    }),
  },
  ...failures,
});

const DASHBOARD: JsonSchema = { ...schemaRef("Dashboard") };
const ID = {
  name: "dashboard",
  in: "path" as const,
  required: true,
  schema: TEXT,
  description: "The id of the dashboard",
};
const ALL = "/-/dashboards";
const ONE = `${ALL}/{dashboard}`;

interface Described {
  readonly operationId: string;
  readonly summary: string;
}

const operation = ({ operationId, summary }: Described) => ({ operationId, summary, tags: ["instance"] });

/** The endpoints of dashboards that the actor may use; none if no plugin has them. */
export function dashboardEndpoints(routes: ReadonlySet<string>, actor: DashboardRights): readonly Endpoint[] {
  if (!routes.has("dashboards")) return [];
  return actor.maySave ? [...READS, ...WRITES] : READS;
}

/** What the actor may do with dashboards besides reading. */
export interface DashboardRights {
  readonly maySave: boolean;
}

const READS: readonly Endpoint[] = [
  {
    path: `${ALL}.json`,
    method: "get",
    operation: {
      ...operation({ operationId: "dashboards", summary: "Shared dashboards, and those of the actor" }),
      responses: answered("200", "The dashboards by name", {
        dashboards: { type: "array", items: DASHBOARD },
      }),
    },
  },
  {
    path: `${ONE}.json`,
    method: "get",
    operation: {
      ...operation({ operationId: "dashboard", summary: "A dashboard and its views, in order" }),
      parameters: [ID],
      responses: answered("200", "The dashboard", {
        dashboard: DASHBOARD,
        views: { type: "array", items: schemaRef("SavedView") },
      }),
    },
  },
];

const WRITES: readonly Endpoint[] = [
  {
    path: ALL,
    method: "post",
    operation: {
      ...operation({ operationId: "create_dashboard", summary: "Make a dashboard" }),
      requestBody: { required: true, content: jsonContent(SENT) },
      responses: answered("201", "The dashboard", { dashboard: DASHBOARD }),
    },
  },
  {
    path: ONE,
    method: "post",
    operation: {
      ...operation({
        operationId: "change_dashboard",
        summary: "Change the members of a dashboard that are sent",
      }),
      parameters: [ID],
      requestBody: { required: true, content: jsonContent(SENT) },
      responses: answered("200", "The dashboard", { dashboard: DASHBOARD }),
    },
  },
  {
    path: `${ONE}/delete`,
    method: "post",
    operation: {
      ...operation({ operationId: "delete_dashboard", summary: "Delete a dashboard, not its views" }),
      parameters: [ID],
      requestBody: { required: true, content: jsonContent({ type: "object" }) },
      responses: answered("200", "It is deleted", { deleted: TEXT }),
    },
  },
];

/** The schema of a dashboard. */
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
