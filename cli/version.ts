import { createRequire } from "node:module";

const manifest = createRequire(import.meta.url)("rowhouse/package.json") as { readonly version: string };

/** The version of this package. */
export const version = manifest.version;
