import type { Database } from "rowhouse/plugin-api";

/** Opens a fresh, empty database that may be written to. */
export type OpenEngine = () => Promise<Database>;
