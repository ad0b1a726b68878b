/** A member of an interface as it is written in the source. */
export interface Member {
  readonly name: string;
  /** On one line, without `readonly`. */
  readonly type: string;
  /** Its docstring as running text; empty without one. */
  readonly doc: string;
}

/** The members of every interface of this name in a source text, of each declaration after the other. */
export function interfaceMembers(source: string, name: string): readonly Member[] {
  const starts = [...source.matchAll(new RegExp(`interface ${name}(?: extends [^{]+)? \\{`, "g"))];
  return starts.flatMap(({ index, 0: found }) => membersOf(between(source, index + found.length)));
}

/** The hooks that `defineHooks` declares in a source text, each with the type of its kind: `Collect<Args, Item>`. */
export function definedHooks(source: string): readonly Member[] {
  const starts = [...source.matchAll(/= defineHooks\(\{/g)];
  return starts
    .flatMap(({ index, 0: found }) => splitAtTop(between(source, index + found.length), ","))
    .flatMap((text) => {
      const [, comment = "", rest = ""] = /^\s*(?:\/\*\*(.*?)\*\/)?\s*(.*)$/s.exec(text) ?? [];
      const [, name, kind = "", args] = /^(\w+): hook\.(\w+)(<.*)$/s.exec(rest) ?? [];
      if (name === undefined || args === undefined) return [];
      const type = kind.charAt(0).toUpperCase() + kind.slice(1) + args.slice(0, closing(args));
      return [{ name, type: oneLine(type), doc: docText(comment) }];
    });
}

/** The position after the bracket that closes the first one. */
function closing(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if ("<{([".includes(text[at] ?? "")) depth += 1;
    else if ("})]".includes(text[at] ?? "") || (text[at] === ">" && text[at - 1] !== "=")) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

/** The members of a type literal: `{ readonly a: string }`. */
export const literalMembers = (type: string): readonly Member[] => membersOf(type.slice(1, -1));

/** The arguments of a generic type: of `First<{...}, Reply>` the two; empty for any other type. */
export function typeArguments(type: string): readonly string[] {
  const start = type.indexOf("<");
  if (start === -1 || !type.endsWith(">")) return [];
  return splitAtTop(type.slice(start + 1, -1), ",").map((one) => one.trim());
}

/** From `from` to the brace that closes the one before it. */
function between(source: string, from: number): string {
  let depth = 1;
  for (let at = from; at < source.length; at += 1) {
    if (source.startsWith("/*", at)) at = source.indexOf("*/", at) + 1;
    else if (source[at] === "{") depth += 1;
    else if (source[at] === "}") depth -= 1;
    if (depth === 0) return source.slice(from, at);
  }
  throw new Error("A brace is not closed");
}

function membersOf(body: string): readonly Member[] {
  return splitAtTop(body, ";").flatMap((text) => {
    const [, comment = "", rest = ""] = /^\s*(?:\/\*\*(.*?)\*\/)?\s*(.*)$/s.exec(text) ?? [];
    const [, name, type = ""] = /^(?:readonly )?(\w+)\??: (.*)$/s.exec(rest) ?? [];
    return name === undefined ? [] : [{ name, type: oneLine(type), doc: docText(comment) }];
  });
}

/** Splits where no bracket is open; comments are no place to split. */
function splitAtTop(text: string, separator: string): readonly string[] {
  const pieces: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (text.startsWith("/*", at)) at = text.indexOf("*/", at) + 1;
    else if ("<{([".includes(character)) depth += 1;
    else if ("})]".includes(character) || (character === ">" && text[at - 1] !== "=")) depth -= 1;
    else if (character === separator && depth === 0) {
      pieces.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...pieces, text.slice(start)].filter((piece) => piece.trim() !== "");
}

const oneLine = (type: string): string =>
  type
    .replace(/\breadonly (?!\w+\[\])(?!\[)/g, "")
    .replace(/\s+/g, " ")
    .replace(/^\| /, "")
    .replace(/;? \}/g, " }")
    .replace(/,? >/g, ">")
    .replace(/< /g, "<")
    .trim();

const docText = (comment: string): string =>
  comment
    .split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, "").trim())
    .join(" ")
    .trim();
