import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import type { Log } from "rowhouse/plugin-api";

/**
 * Handles errors of streams that middleware pipes into a response. Node closes neither end when the other one fails:
 * an error of the source would end the process, and after a disconnect the source would stay open.
 */
export function guardPipes(response: ServerResponse, log: Log): void {
  response.on("pipe", (source: Readable) => {
    source.on("error", (error) => {
      log.error("What middleware sent could not be read", error);
      response.destroy();
    });
    response.once("close", () => {
      if (!isReadElsewhere(source)) source.destroy();
    });
  });
}

/** One stream may be piped into several responses at once. */
const isReadElsewhere = (source: Readable): boolean =>
  source.listenerCount("data") > 0 || source.listenerCount("readable") > 0;
