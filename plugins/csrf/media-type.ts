import type { Request } from "rowhouse/plugin-api";

/** The media type of a request's body, in lower case and without parameters; empty when none is named. */
export const mediaType = (request: Request): string =>
  (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";

/** A body that no form of another site can send without asking first. */
export const isJson = (request: Request): boolean => mediaType(request) === "application/json";
