import { randomBytes } from "node:crypto";
import type { Log } from "rowhouse/plugin-api";

/** Secrets in documentation, which are publicly known. */
const EXAMPLES: ReadonlySet<string> = new Set([
  "secret",
  "mysecret",
  "my-secret",
  "changeme",
  "change-me",
  "sécret-✓",
  "please-change-this-to-a-long-random-text",
  "only-for-these-examples-and-long-enough-for-it",
  "only-for-this-tutorial-and-long-enough-for-it",
  "a-long-secret-that-is-only-for-this-page",
  "8d777f385d3dfec8815d20f7496026dc05c8b6f0e3b1c2d4e5f60718293a4b5d",
  "b1946ac92492d2347c6235b4d2611184a3c8b6f0e3b1c2d4e5f60718293a4b5c",
]);
const MIN_BYTES = 32;

/** The secrets that are given. An empty one is none, as in `--secret "$SECRET"` without this variable. */
export const givenSecrets = (secrets: readonly string[] = []): readonly string[] =>
  secrets.filter((secret) => secret !== "");

/** The secrets for signatures: the given ones, otherwise a random one for this process. */
export function signingSecrets(given: readonly string[] | undefined): readonly [string, ...string[]] {
  const [first, ...others] = givenSecrets(given);
  return first === undefined ? [randomBytes(32).toString("hex")] : [first, ...others];
}

/** The secrets after a reload: the given ones, otherwise those of before, so that tokens and cookies remain valid. */
export const secretsAfter = (
  before: readonly [string, ...string[]],
  given: readonly string[] | undefined,
): readonly [string, ...string[]] => (givenSecrets(given).length > 0 ? signingSecrets(given) : before);

/** Why one of the secrets can be guessed, without the secret itself. An attacker who guesses one of several can sign. */
export function secretProblem(given: readonly string[] | undefined): string | null {
  const secrets = givenSecrets(given);
  if (secrets.some((secret) => EXAMPLES.has(secret)))
    return "The secret is an example of the documentation, which is public";
  if (secrets.some((secret) => Buffer.byteLength(secret) < MIN_BYTES))
    return `The secret is shorter than ${MIN_BYTES} bytes, so it can be guessed`;
  return null;
}

/** Warns if there is no secret, and if it can be guessed. */
export function warnAboutSecret(given: readonly string[] | undefined, log: Log): void {
  const problem = secretProblem(given);
  if (problem !== null) log.warn(problem);
  else if (givenSecrets(given).length === 0) {
    log.info(
      "No secret was given: tokens and cookies end with this process (--secret or ROWHOUSE_SECRET keeps them)",
    );
  }
}
