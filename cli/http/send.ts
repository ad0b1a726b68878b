import type { ServerResponse } from "node:http";
import type { Reply, ReplyBody } from "rowhouse/plugin-api";

/** Writes a reply; whoever asked with HEAD is spared the body. Settles when nothing more is to be written. */
export async function send(
  response: ServerResponse,
  { status, headers, body }: Reply,
  headOnly: boolean,
): Promise<void> {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value as string | string[]);
  const isWhole = typeof body === "string" || body instanceof Uint8Array;
  // What is left out is as long as for GET; a body that nobody made for HEAD says nothing about its length.
  if (headOnly && isWhole && body.length > 0) response.setHeader("content-length", Buffer.byteLength(body));
  if (headOnly) return void response.end();
  if (isWhole) return void response.end(body);
  await pump(response, body);
}

/** Writes as fast as the client reads. A body that fails midway cuts the connection, so that it shows. */
async function pump(response: ServerResponse, body: Exclude<ReplyBody, string | Uint8Array>): Promise<void> {
  try {
    for await (const piece of body) {
      if (response.destroyed) return;
      if (!response.write(piece)) await roomIn(response);
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  }
}

/** Resolves when more may be written, or nobody reads any more; leaves no listener behind. */
function roomIn(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.once("drain", done).once("close", done);
  });
}
