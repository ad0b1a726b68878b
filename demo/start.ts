import { fileURLToPath } from "node:url";

// SQLite uses the thread pool of libuv. Its size is read at its first use, so it must be set before any module is
// loaded.
process.env["UV_THREADPOOL_SIZE"] ??= "8";

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
