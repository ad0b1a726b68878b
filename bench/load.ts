import { once } from "node:events";
import { readFile, readdir } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { median } from "./figures.js";
import type { Program } from "./program.js";

/** Duration and load of a measurement. */
export interface Effort {
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: number;
  /** Requests for each page before: code that V8 has not compiled yet takes several times as long. */
  readonly warm: number;
}

/** One server under one kind of request. */
export interface Measured {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The longest time in which the event loop of the server was blocked; NaN for programs without the probe. */
  readonly blockedMs: number;
  /** Processor time of the server and its processes for one request, which holds on a loaded machine too. */
  readonly cpuUs: number;
}

/** Clients that each repeat a request as soon as it is answered. They share the processor with the server, so they do little. */
export async function measureLoad(
  program: Program,
  path: string,
  { seconds, connections }: Pick<Effort, "seconds" | "connections">,
): Promise<Measured> {
  await program.blocked();
  const cpuBefore = await cpuSecondsOf(program.pid);
  const began = performance.now();
  const until = began + seconds * 1000;
  const took = await askWith(program, path, connections, () => performance.now() >= until);
  const elapsed = (performance.now() - began) / 1000;
  const cpuSeconds = (await cpuSecondsOf(program.pid)) - cpuBefore;
  const sorted = Float64Array.from(took).toSorted();
  const share = (part: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
  return {
    perSecond: sorted.length / elapsed,
    p50Ms: share(0.5),
    p99Ms: share(0.99),
    blockedMs: (await program.blocked()).longestMs,
    cpuUs: (cpuSeconds / sorted.length) * 1e6,
  };
}

const WARM_UP_LIMIT_MS = 15_000;

/** Sends this number of requests. Programs that need long for each get fewer. */
export async function warmUp(
  program: Program,
  path: string,
  { warm, connections }: Pick<Effort, "warm" | "connections">,
): Promise<void> {
  const untilMs = performance.now() + WARM_UP_LIMIT_MS;
  let left = warm;
  await askWith(program, path, connections, () => (left -= 1) < 0 || performance.now() > untilMs);
}

/** The time of each request, in ms. */
async function askWith(
  program: Program,
  path: string,
  connections: number,
  isOver: () => boolean,
): Promise<readonly number[]> {
  const { hostname, port, host } = new URL(program.origin);
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  const sockets = Array.from({ length: connections }, () => connect(Number(port), hostname).setNoDelay());
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  return (await Promise.all(sockets.map((socket) => askUntil(isOver, socket, request)))).flat();
}

const HEAD_END = "\r\n\r\n";

/** Sends the request again and again on one socket. @throws Error for another status than 200, or without a length */
function askUntil(isOver: () => boolean, socket: Socket, request: Buffer): Promise<readonly number[]> {
  return new Promise((resolve, reject) => {
    const took: number[] = [];
    let leftBytes: number | null = null;
    let sentMs = performance.now();
    socket.on("error", reject).on("close", () => resolve(took));
    socket.on("data", (piece: Buffer) => {
      leftBytes = (leftBytes ?? replyLength(piece)) - piece.length;
      if (leftBytes > 0) return;
      leftBytes = null;
      const nowMs = performance.now();
      took.push(nowMs - sentMs);
      sentMs = nowMs;
      if (isOver()) socket.end();
      else socket.write(request);
    });
    socket.write(request);
  });
}

/** The length of a reply with its head, which all servers here send in one piece. */
function replyLength(piece: Buffer): number {
  const headEnd = piece.indexOf(HEAD_END);
  const head = piece.toString("latin1", 0, headEnd);
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  if (!head.startsWith("HTTP/1.1 200") || length === undefined)
    throw new Error(`A reply without its length: ${head}`);
  return headEnd + HEAD_END.length + Number(length);
}

const TICKS_PER_SECOND = 100;

/** Processor time of a process and of its children that run. Linux only; NaN elsewhere. */
export async function cpuSecondsOf(pid: number): Promise<number> {
  const pids = await readdir("/proc").catch(() => []);
  const seconds = await Promise.all(
    pids.filter((name) => /^\d+$/.test(name)).map((name) => cpuSecondsIn(name, pid)),
  );
  return seconds.length === 0 ? NaN : seconds.reduce((sum, value) => sum + value, 0);
}

async function cpuSecondsIn(name: string, pid: number): Promise<number> {
  const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (Number(name) !== pid && Number(fields[1]) !== pid) return 0;
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The median of each figure. */
export function medians(rounds: readonly Measured[]): Measured {
  const of = (pick: (one: Measured) => number): number => median(rounds.map(pick));
  return {
    perSecond: of((one) => one.perSecond),
    p50Ms: of((one) => one.p50Ms),
    p99Ms: of((one) => one.p99Ms),
    blockedMs: of((one) => one.blockedMs),
    cpuUs: of((one) => one.cpuUs),
  };
}
