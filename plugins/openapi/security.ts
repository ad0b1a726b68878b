import type { Rowhouse } from "rowhouse/plugin-api";
import type { JsonSchema, OpenApi } from "./openapi.js";

const hasPlugin = ({ plugins }: Rowhouse, name: string): boolean =>
  plugins.some((plugin) => plugin.bundled && plugin.name === name);

const takesTokens = (rowhouse: Rowhouse): boolean =>
  rowhouse.serviceIfAny("tokens") !== null && rowhouse.settings.get("allow_signed_tokens")?.value !== false;

const takesCookies = (rowhouse: Rowhouse): boolean => hasPlugin(rowhouse, "actor-cookie");

/** The ways to authenticate that are switched on. */
export const securitySchemes = (rowhouse: Rowhouse): Readonly<Record<string, JsonSchema>> => ({
  ...(takesTokens(rowhouse) && {
    token: { type: "http", scheme: "bearer", description: "An API token, made at /-/create-token" },
  }),
  ...(takesCookies(rowhouse) && {
    cookie: { type: "apiKey", in: "cookie", name: "rowhouse_actor", description: "A signed-in browser" },
  }),
});

/** Any of them, or none: anonymous clients may have permissions too. */
export const security = (rowhouse: Rowhouse): OpenApi["security"] => [
  {},
  ...Object.keys(securitySchemes(rowhouse)).map((name) => ({ [name]: [] })),
];
