import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { html, messageOf, raw } from "rowhouse/plugin-api";
import type { Address } from "../configuration/address.js";

/** Identifies this start of the process, so that open pages detect the next one. */
const BOOT = randomUUID();
const ERROR_HEADER = "x-rowhouse-dev-error";

/** Reloads the page after the next start. */
const SCRIPT = `setInterval(async () => {
  const reply = await fetch(location.href, { cache: "no-store" }).catch(() => null);
  if (reply !== null && reply.headers.get("${ERROR_HEADER}") !== "${BOOT}") location.reload();
}, 500);`;

/**
 * Answers every request with the error of the start, until a signal ends the process. Pages that were open reload and
 * show the error, and reload again after the next successful start.
 */
export async function serveErrorPage(error: unknown, address: Address): Promise<void> {
  const answer = answerWith(messageOf(error));
  const server = address.tls === undefined ? createServer(answer) : createTlsServer(address.tls, answer);
  if (address.uds === undefined) server.listen({ host: address.host, port: address.port });
  else server.listen(address.uds);
  try {
    await once(server, "listening");
  } catch {
    // Without an address, there is no page. The message was printed.
    return;
  }
  await new Promise<void>((resolve) => {
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
  });
  server.close();
  server.closeAllConnections();
}

const answerWith =
  (message: string): RequestListener =>
  ({ url = "/", headers }, response) => {
    const [path = ""] = url.split("?");
    const common = { [ERROR_HEADER]: BOOT, "cache-control": "no-store" };
    // The script of `dev-refresh` in open pages listens to this path.
    if (path.endsWith("/-/dev/events")) {
      response.writeHead(200, { ...common, "content-type": "text/event-stream" });
      response.write(`retry: 200\nevent: boot\ndata: ${BOOT}\n\n`);
      return;
    }
    const isPage = (headers.accept ?? "").includes("text/html");
    response.writeHead(500, {
      ...common,
      "content-type": `text/${isPage ? "html" : "plain"}; charset=utf-8`,
    });
    response.end(isPage ? pageOf(message) : `${message}\n`);
  };

// The markup is a constant of this file.
const script = raw(`<script>${SCRIPT}</script>`);

const pageOf = (message: string): string =>
  `<!doctype html>\n${html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <meta name="color-scheme" content="light dark" />
      <title>Rowhouse could not start</title>
    </head>
    <body style="font-family: system-ui; margin: 3rem auto; max-width: 50rem; padding: 0 1rem">
      <h1>Rowhouse could not start</h1>
      <pre style="white-space: pre-wrap">${message}</pre>
      <p>This page loads itself again after the next change of a file.</p>
      ${script}
    </body>
  </html>`}`;
