import type { ApiDescription, Described } from "rowhouse/plugin-api/openapi";
import { dashboardEndpoints, dashboardSchemas } from "./dashboards.js";
import { savedViewEndpoints, savedViewSchemas } from "./saved-views.js";

const ACTION = "save-view";

/** Saved views of tables, and dashboards. */
export const api: ApiDescription = {
  actions: [ACTION],
  schemas: () => ({ ...savedViewSchemas, ...dashboardSchemas }),
  instance: (instance) => dashboardEndpoints(instance, maySave(instance)),
  table: (table) => savedViewEndpoints(table, maySave(table)),
};

const maySave = ({ actor, may }: Described): boolean => (actor?.id ?? null) !== null && may(ACTION);
