import { randomBytes } from "node:crypto";
import type { Log } from "rowhouse/plugin-api";

/** Secrets that stand in documentation, where everybody can read them. */
const EXAMPLES: ReadonlySet<string> = new Set([
  "secret",
  "mysecret",
  "my-secret",
  "changeme",
  "change-me",
  "sécret-✓",
  "please-change-this-to-a-long-random-text",
]);
const MIN_BYTES = 32;

/** The secrets to sign with: those given, else one that lives as long as this process. */
export function signingSecrets(given: readonly string[] | undefined): readonly [string, ...string[]] {
  const [first, ...others] = (given ?? []).filter((secret) => secret !== "");
  return first === undefined ? [randomBytes(32).toString("hex")] : [first, ...others];
}

/** Says what a person who serves data should know about the secret; never the secret itself. Whoever guesses one of several can sign. */
export function adviseOnSecret(given: readonly string[] | undefined, log: Log): void {
  const secrets = (given ?? []).filter((secret) => secret !== "");
  if (secrets.length === 0) {
    log.info(
      "No secret was given: tokens and cookies end with this process (--secret or ROWHOUSE_SECRET keeps them)",
    );
  } else if (secrets.some((secret) => EXAMPLES.has(secret))) {
    log.warn("The secret is one of the documentation's examples, which everybody knows");
  } else if (secrets.some((secret) => Buffer.byteLength(secret) < MIN_BYTES)) {
    log.warn(`The secret is shorter than ${MIN_BYTES} bytes, so it can be guessed`);
  }
}
