/** Words as one line for a POSIX shell, which will read them as they are. */
export const shellLine = (words: readonly string[]): string => words.map(shellWord).join(" ");

const shellWord = (word: string): string =>
  /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
