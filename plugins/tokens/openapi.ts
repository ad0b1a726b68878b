import type { ApiDescription } from "rowhouse/plugin-api/openapi";

const TOKEN = "An API token, made at /-/create-token";

/** The authentication by tokens. */
export const api: ApiDescription = {
  securitySchemes: (rowhouse) => {
    if (!rowhouse.setting("allow_signed_tokens")) return {};
    const description = rowhouse.setting("refuse_invalid_tokens")
      ? `${TOKEN}. A request with an invalid token gets 401`
      : TOKEN;
    return { token: { type: "http", scheme: "bearer", description } };
  },
};
