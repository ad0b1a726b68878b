// Loaded into a server's process by `--import`: tells over IPC how long the event loop stood still, and its memory.
import { monitorEventLoopDelay } from "node:perf_hooks";

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

process.on("message", () => {
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({ longestMs: delay.max / 1e6, rssBytes: rss, heapBytes: heapUsed });
  delay.reset();
});
// The channel alone must not keep the server alive.
process.channel?.unref();
