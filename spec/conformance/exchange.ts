import { once } from "node:events";
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { HOST, type RecordedRequest } from "./cases.js";
import { SECRET } from "./profiles.js";
import type { Server } from "./servers.js";
import { authorization, cookies } from "./signing.js";

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Unix time at which the request went out. */
  readonly sentAt: number;
}

const ANSWER_LIMIT_MS = 90_000;

/** Sends a recorded request unchanged: the path byte for byte, the exact text of the body. */
export async function exchange(server: Server, recorded: RecordedRequest): Promise<Answer> {
  const sentAt = Math.floor(Date.now() / 1000);
  const sent = httpRequest({
    host: "127.0.0.1",
    port: server.port,
    agent: server.agent,
    method: recorded.method,
    path: recorded.path,
    headers: headersOf(recorded, sentAt),
    timeout: ANSWER_LIMIT_MS,
  });
  sent.on("timeout", () => sent.destroy(new Error(`No answer within ${ANSWER_LIMIT_MS / 1000} seconds`)));
  sent.end(recorded.body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks), sentAt };
}

function headersOf(recorded: RecordedRequest, now: number): Record<string, string> {
  const headers: Record<string, string> = { Host: HOST, ...recorded.headers };
  const bearer = authorization(recorded, SECRET, now);
  const cookie = cookies(recorded, SECRET, now);
  if (bearer !== null) headers["Authorization"] = bearer;
  if (cookie !== null) headers["Cookie"] = cookie;
  return headers;
}
