#!/usr/bin/env node
import nodeModule = require("node:module");
import os = require("node:os");
import path = require("node:path");

// SQLite's work runs on libuv's thread pool, whose size is read once, at its first use: hence a launcher that
// sets it before anything else is loaded. Several threads for a core, because some wait for a disk or a lock. Not more,
// because the C library keeps memory for each.
process.env["UV_THREADPOOL_SIZE"] ??= String(Math.min(32, Math.max(8, 4 * os.availableParallelism())));

// Node 22.8 and later keep the compiled code of modules. In the system's temporary folder, which is Node's default,
// another user could replace it.
const { enableCompileCache } = nodeModule as { readonly enableCompileCache?: (folder: string) => unknown };
const { HOME } = process.env;
if (HOME !== undefined && HOME !== "") enableCompileCache?.(path.join(HOME, ".cache", "rowhouse"));

interface Main {
  main(words: readonly string[]): Promise<void>;
}

/** Made by `build/bundle.mjs` after compilation. */
const BUNDLE = "../bundle/main.js";

(import(BUNDLE) as Promise<Main>)
  .then(({ main }) => main(process.argv.slice(2)))
  .catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EMFILE") throw error;
    process.stderr.write(
      "Error: The limit of open files is too low for the start: raise it (ulimit -n, LimitNOFILE of systemd)\n",
    );
    process.exitCode = 1;
  });
