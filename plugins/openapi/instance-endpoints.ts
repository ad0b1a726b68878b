import type { Rowhouse } from "rowhouse/plugin-api";
import { jsonContent, responseRef, type Endpoint } from "./openapi.js";

const documents: readonly (readonly [route: string, path: string, summary: string])[] = [
  ["index", "/.json", "Databases, with some of their tables"],
  ["versions", "/-/versions.json", "Versions of the software"],
  ["metadata", "/-/metadata.json", "Titles, descriptions, sources and other metadata"],
  ["plugins", "/-/plugins.json", "Plugins that were installed"],
  ["settings", "/-/settings.json", "Settings in force"],
  ["databases", "/-/databases.json", "Databases and their files"],
  ["threads", "/-/threads.json", "What the server is doing"],
  ["actor", "/-/actor.json", "Who you are to this server"],
];

/** Documents about the server, if the plugins that serve them are switched on. */
export function instanceEndpoints(rowhouse: Rowhouse): readonly Endpoint[] {
  const routes = new Set(rowhouse.routes.map(({ name }) => name));
  return documents
    .filter(([route]) => routes.has(route))
    .map(([route, path, summary]) => ({
      path,
      method: "get",
      operation: {
        operationId: route,
        summary,
        tags: ["instance"],
        responses: {
          "200": { description: summary, content: jsonContent({}) },
          "403": responseRef("Forbidden"),
        },
      },
    }));
}
