import { createHash } from "node:crypto";

const HEX_DIGITS = 6;

/** The colour a database is known by, as six hex digits: of its content where that has a hash, else of its name. */
export const databaseColor = (name: string, hash: string | null): string =>
  (hash ?? createHash("md5").update(name, "utf8").digest("hex")).slice(0, HEX_DIGITS);
