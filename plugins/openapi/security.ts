import type { Rowhouse } from "rowhouse/plugin-api";
import type { JsonSchema, OpenApi } from "./openapi.js";

const takesTokens = (rowhouse: Rowhouse): boolean =>
  rowhouse.serviceIfAny("tokens") !== null && rowhouse.settings.get("allow_signed_tokens")?.value !== false;

const takesCookies = (rowhouse: Rowhouse): boolean => rowhouse.serviceIfAny("sessions") !== null;

/** The ways of saying who asks that are switched on here. */
export const securitySchemes = (rowhouse: Rowhouse): Readonly<Record<string, JsonSchema>> => ({
  ...(takesTokens(rowhouse) && {
    token: { type: "http", scheme: "bearer", description: "An API token, made at /-/create-token" },
  }),
  ...(takesCookies(rowhouse) && {
    cookie: { type: "apiKey", in: "cookie", name: "rowhouse_actor", description: "A signed-in browser" },
  }),
});

/** Any of them, or none: what strangers may do needs nothing. */
export const security = (rowhouse: Rowhouse): OpenApi["security"] => [
  {},
  ...Object.keys(securitySchemes(rowhouse)).map((name) => ({ [name]: [] })),
];
