const WORDS: ReadonlyMap<string, boolean> = new Map([
  ["on", true],
  ["true", true],
  ["1", true],
  ["off", false],
  ["false", false],
  ["0", false],
]);

/** What `on`, `true`, `1`, `off`, `false` and `0` mean; null for any other word. */
export const switchedTo = (word: string): boolean | null => WORDS.get(word) ?? null;
