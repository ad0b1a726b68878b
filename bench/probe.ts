// Loaded into the process of a server by `--import`. It reports over IPC how long the event loop was blocked.
import cluster from "node:cluster";
import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

/** Processor time of the main thread in ms, which other processes do not affect. Linux only. */
function mainThreadMs(): number {
  try {
    return Number(readFileSync("/proc/self/schedstat", "utf8").split(" ")[0]) / 1e6;
  } catch {
    return NaN;
  }
}

// The processor time of the main thread is read every millisecond, which would slow down a server under load.
const measuresCpu = process.env["PROBE_CPU"] === "1";
const delay = monitorEventLoopDelay({ resolution: measuresCpu ? 1 : 10 });
delay.enable();

let before = mainThreadMs();
let longestCpuMs = 0;
function readCpu(): void {
  const now = mainThreadMs();
  longestCpuMs = Math.max(longestCpuMs, now - before);
  before = now;
}
if (measuresCpu) setInterval(readCpu, 1).unref();

// The workers of `--workers` have an IPC channel of their own, which keeps them alive.
if (cluster.isPrimary) {
  process.on("message", () => {
    process.send?.({ longestMs: delay.max / 1e6, longestCpuMs });
    delay.reset();
    longestCpuMs = 0;
  });
  // The IPC channel must not keep the server alive.
  process.channel?.unref();
}
