import { fileURLToPath } from "node:url";

// SQLite's work runs on libuv's thread pool, whose size is read at its first use: before anything is loaded.
process.env["UV_THREADPOOL_SIZE"] ??= "32";

const { buildDemonstration } = await import("./build.js");
const { main } = await import("../cli/main.js");

const { databases, metadata } = await buildDemonstration(
  fileURLToPath(new URL("../../demo/data/", import.meta.url)),
);
await main([
  "serve",
  "--no-config",
  ...databases,
  "--metadata",
  metadata,
  "--root",
  ...process.argv.slice(2),
]);
