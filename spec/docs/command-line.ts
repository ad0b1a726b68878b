/** One command after `$ `. */
export interface CommandLine {
  readonly words: readonly string[];
  /** The variable that its output is kept in: `TOKEN=$(...)`. */
  readonly into: string | null;
}

/**
 * Splits a command as a shell would, for the little that examples use: quotes, `$NAME`, `NAME=$(command)`.
 *
 * @throws Error for a character that a shell would take for something else
 */
export function readCommand(line: string, variables: ReadonlyMap<string, string>): CommandLine {
  const [, into, inner] = /^([A-Z_]+)=\$\((.*)\)$/s.exec(line) ?? [];
  return { words: split(inner ?? line, variables), into: into ?? null };
}

const WORD = /(?:'[^']*'|"[^"]*"|\\\n|[^\s'"])+/g;

function split(line: string, variables: ReadonlyMap<string, string>): readonly string[] {
  const words = line.match(WORD) ?? [];
  return words.map((word) => unquoted(word, variables)).filter((word) => word !== "");
}

function unquoted(word: string, variables: ReadonlyMap<string, string>): string {
  let text = "";
  for (const [piece] of word.matchAll(/'[^']*'|"[^"]*"|\\\n|[^'"\\]+/g)) {
    if (piece === "\\\n") continue;
    const isBare = !/^['"]/.test(piece);
    if (isBare && /[&|;<>()?*]/.test(piece)) throw new Error(`${piece} needs quotes`);
    const inner = isBare ? piece : piece.slice(1, -1);
    text += piece.startsWith("'") ? inner : expand(inner, variables);
  }
  return text;
}

const expand = (text: string, variables: ReadonlyMap<string, string>): string =>
  text.replace(/\$([A-Z_]+)/g, (_whole, name: string) => {
    const value = variables.get(name);
    if (value === undefined) throw new Error(`$${name} has no value`);
    return value;
  });
