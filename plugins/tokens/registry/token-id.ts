import { createHash } from "node:crypto";

/** What a token is known by in the registry: the token itself is stored nowhere. 32 hex digits. */
export const tokenId = (token: string): string =>
  createHash("sha256").update(token).digest("hex").slice(0, 32);
