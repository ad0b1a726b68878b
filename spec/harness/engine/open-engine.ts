import type { Database } from "rowhouse/plugin-api";

/** Opens a new, empty, writable database. */
export type OpenEngine = () => Promise<Database>;
