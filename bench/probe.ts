// Loaded into the process of a server by `--import`. It reports over IPC how long the event loop was blocked.
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

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

let before = mainThreadMs();
let longestCpuMs = 0;
const timer = setInterval(() => {
  const now = mainThreadMs();
  longestCpuMs = Math.max(longestCpuMs, now - before);
  before = now;
}, 1);
timer.unref();

process.on("message", () => {
  process.send?.({ longestMs: delay.max / 1e6, longestCpuMs });
  delay.reset();
  longestCpuMs = 0;
});
// The IPC channel must not keep the server alive.
process.channel?.unref();
