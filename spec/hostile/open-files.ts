import { existsSync, readdirSync } from "node:fs";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** Whether this system lists the open files of a process. */
export const canCountOpenFiles = existsSync("/proc/self/fd");

/** How many descriptors a process has open: files, sockets and pipes. */
export const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

const SETTLE_MS = 10_000;
const PAUSE_MS = 50;

/** The number of open descriptors as soon as it is at most `limit`, or after ten seconds, whatever it is then. */
export async function settledOpenFiles(pid: number, limit: number): Promise<number> {
  const latest = performance.now() + SETTLE_MS;
  while (openFiles(pid) > limit && performance.now() < latest) await sleep(PAUSE_MS);
  return openFiles(pid);
}

/** How a request is sent, and when the client hangs up. */
export interface Sending {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** `sent`: as soon as the request is out; `begun`: after the first piece of the body. */
  readonly leave?: "sent" | "begun";
  /** The connection is given up after this time. */
  readonly timeoutMs?: number;
}

/** What came back: the status and the headers, or null where the connection broke before or during the reply. */
export type Answer = { readonly status: number; readonly headers: NodeJS.Dict<string | string[]> } | null;

/** One request on a connection of its own, read to its end unless the client leaves earlier. */
export function ask(
  url: string,
  { method = "GET", headers = {}, leave, timeoutMs = 60_000 }: Sending = {},
): Promise<Answer> {
  return new Promise((resolve) => {
    const sent = request(url, { method, headers, agent: false, timeout: timeoutMs }, (response) => {
      const answer = { status: response.statusCode ?? 0, headers: response.headers };
      response.on("error", () => resolve(null));
      response.on("end", () => resolve(answer));
      response.once("data", () => {
        if (leave === "begun") sent.destroy();
      });
      response.resume();
    });
    sent.on("error", () => resolve(null));
    sent.on("close", () => resolve(null));
    sent.on("timeout", () => sent.destroy());
    sent.end(() => {
      // The server has read the request when its socket has taken it over; it may be anywhere in its work.
      if (leave === "sent") setTimeout(() => sent.destroy(), Math.random() * 20);
    });
  });
}

const AT_ONCE = 10;

/** The same request many times, a few at once. */
export async function askOften(
  times: number,
  url: string,
  sending: Sending = {},
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  let left = times;
  const work = async (): Promise<void> => {
    while (left-- > 0) answers.push(await ask(url, sending));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return answers;
}
