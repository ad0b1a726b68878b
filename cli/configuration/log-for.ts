import type { Log } from "rowhouse/plugin-api";
import type { PartialChoices } from "../arguments/choices.js";

/** The log of a server with these options. */
export async function logFor({ logFormat, logLevel, quiet, secret }: PartialChoices): Promise<Log> {
  const { serverLog } = await import("../log/server-log.js");
  const level = logLevel ?? (quiet === true ? "warn" : "info");
  return serverLog({ format: logFormat ?? "text", level, secrets: secret ?? [] });
}
