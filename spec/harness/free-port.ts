import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * A port of 127.0.0.1 on which nothing listens, for a program that takes its port as an argument. Systems take the ports of
 * outgoing connections from 32,768 up, so no connection gets this one meanwhile.
 */
export async function freePort(): Promise<number> {
  const port = 10_000 + randomInt(20_000);
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return freePort();
  }
  server.close();
  await once(server, "close");
  return port;
}
