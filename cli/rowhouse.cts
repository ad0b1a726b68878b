#!/usr/bin/env node
import nodeModule = require("node:module");
import path = require("node:path");

// SQLite's work runs on libuv's thread pool, whose size is read once, at its first use: hence a launcher that
// sets it before anything else is loaded. Threads that wait for a statement cost next to nothing.
process.env["UV_THREADPOOL_SIZE"] ??= "32";

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

void (import(BUNDLE) as Promise<Main>).then(({ main }) => main(process.argv.slice(2)));
