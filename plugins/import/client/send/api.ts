import { JsonElements } from "../read/json-elements.js";
import { membersOf } from "../read/json-members.js";
import { t } from "../texts.js";

/** A request that the server refused. */
export class Refused extends Error {
  constructor(readonly errors: readonly string[]) {
    super(errors.join(" "));
  }
}

/** A connection that ended without a reply. */
export class ConnectionLost extends Error {}

/** Posts JSON to the JSON API. @returns the reply as text, so that numbers stay exact. @throws Refused, ConnectionLost */
export async function postJson(url: string, body: string): Promise<string> {
  const headers = { "content-type": "application/json", accept: "application/json" };
  const response = await fetch(url, { method: "POST", headers, body }).catch(() => null);
  if (response === null) throw new ConnectionLost();
  const text = await response.text().catch(() => "");
  if (!response.ok) throw new Refused(errorsIn(text));
  return text;
}

/** The progress of a request, and how it is cancelled. */
export interface Sending {
  /** The token for requests with a body that is not JSON. */
  readonly csrfToken: string;
  /** With a key, a request that is sent again takes effect once. */
  readonly idempotencyKey: string | null;
  readonly signal: AbortSignal;
  /** @param share of the body that was sent, from 0 to 1 */
  onProgress(share: number): void;
}

/** Posts rows as lines of JSON. @throws Refused, ConnectionLost, and the reason of the signal */
export function postLines(
  url: string,
  lines: Blob,
  { csrfToken, idempotencyKey, signal, onProgress }: Sending,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.upload.addEventListener("progress", ({ loaded, total }) =>
      onProgress(loaded / Math.max(1, total)),
    );
    request.upload.addEventListener("load", () => onProgress(1));
    request.addEventListener("load", () => {
      if (request.status < 400) resolve(request.responseText);
      else reject(new Refused(errorsIn(request.responseText)));
    });
    request.addEventListener("error", () => reject(new ConnectionLost()));
    request.addEventListener("abort", () => reject(signal.reason as Error));
    request.open("POST", url);
    request.setRequestHeader("content-type", "application/x-ndjson");
    request.setRequestHeader("accept", "application/json");
    request.setRequestHeader("x-csrftoken", csrfToken);
    if (idempotencyKey !== null) request.setRequestHeader("idempotency-key", idempotencyKey);
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(lines);
  });
}

function errorsIn(text: string): readonly string[] {
  try {
    const { errors, error } = JSON.parse(text) as { errors?: string[]; error?: string };
    return errors ?? [error ?? t("script.import.refused")];
  } catch {
    return [text.slice(0, 300) || t("script.import.no_reason")];
  }
}

/** The number of rows and their keys in a reply. Keys are JSON texts, so that they are exact. */
export function insertedIn(reply: string): { readonly count: number; readonly keys: readonly string[] } {
  const members = new Map(membersOf(reply));
  const elements = new JsonElements();
  const keys = [...elements.add(members.get("keys") ?? "[]"), ...elements.end()];
  return { count: Number(members.get("row_count") ?? 0), keys };
}
