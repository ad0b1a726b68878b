/**
 * A name that no statement of a client contains. No client sees a number of this generator, and a process for untrusted SQL
 * needs 2 MB less without OpenSSL.
 */
export const randomName = (): string =>
  `rowhouse_${[Math.random(), Math.random()].map((part) => part.toString(36).slice(2)).join("")}`;
