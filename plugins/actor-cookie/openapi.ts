import type { ApiDescription } from "rowhouse/plugin-api/openapi";

/** The authentication of browsers. */
export const api: ApiDescription = {
  securitySchemes: () => ({
    cookie: { type: "apiKey", in: "cookie", name: "rowhouse_actor", description: "A signed-in browser" },
  }),
};
