#!/usr/bin/env node
// SQLite's work runs on libuv's thread pool, whose size is read once, at its first use: hence a launcher that
// sets it before anything else is loaded. Threads that wait for a statement cost next to nothing.
process.env["UV_THREADPOOL_SIZE"] ??= "32";

void import("./main.js").then(({ main }) => main(process.argv.slice(2)));
