import { getEndpoint, jsonContent, type ApiDescription } from "rowhouse/plugin-api/openapi";

const documents = {
  versions: "Versions of the software",
  metadata: "Titles, descriptions, sources and other metadata",
  plugins: "Plugins that were installed",
  settings: "Settings in force",
  databases: "Databases and their files",
  threads: "What the server is doing",
  actor: "Who you are to this server",
};

/** The documents about the server. */
export const api: ApiDescription = {
  instance: (instance) =>
    Object.entries(documents).map(([id, summary]) =>
      getEndpoint(instance, `/-/${id}.json`, {
        id,
        summary,
        reply: { description: summary, content: jsonContent({}) },
      }),
    ),
};
