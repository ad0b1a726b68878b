import { element } from "rowhouse/browser";

/** More lists and objects of one value are not folded: each is a stop of the tab key. */
const MOST_FOLDED = 40;

/** A line of indented JSON. */
interface Line {
  readonly text: string;
  /** The number of lists and objects around it, or around the one that it begins or ends. */
  readonly level: number;
  /** How the list or object ends that it begins; null if it begins none. */
  readonly end: "]" | "}" | null;
  readonly isEnd: boolean;
}

/** Lets the lists and objects of indented JSON be folded. Text that is not JSON stays as it is. */
export function makeTree(value: HTMLElement): void {
  const json = value.textContent ?? "";
  if (!isJson(json)) return;
  const lines = linesOf(json);
  const deepest = deepestFolded(lines);
  const open = [value];
  value.replaceChildren();
  for (const { text, level, end, isEnd } of lines) {
    const inside = open.at(-1) ?? value;
    if (end !== null && level <= deepest) {
      const part = foldedPart(text, end);
      inside.append(part);
      open.push(part);
      continue;
    }
    inside.append(text);
    if (isEnd && level <= deepest) open.pop();
  }
}

/** The line break after its first line is that of the summary. */
function foldedPart(text: string, end: string): HTMLElement {
  return element("details", { open: true }, element("summary", { "data-end": end }, text.trimEnd()));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function linesOf(json: string): readonly Line[] {
  let level = 0;
  return json.split(/(?<=\n)/).map((text): Line => {
    const last = text.trimEnd().at(-1);
    const isEnd = /^\s*[\]}]/.test(text);
    if (isEnd) level -= 1;
    const line: Line = { text, level, end: last === "[" ? "]" : last === "{" ? "}" : null, isEnd };
    if (line.end !== null) level += 1;
    return line;
  });
}

/** The deepest level of which all lists and objects can be folded, with those above. */
function deepestFolded(lines: readonly Line[]): number {
  const byLevel: number[] = [];
  for (const { level, end } of lines) if (end !== null) byLevel[level] = (byLevel[level] ?? 0) + 1;
  let folded = 0;
  const tooMany = byLevel.findIndex((count) => (folded += count) > MOST_FOLDED);
  return (tooMany === -1 ? byLevel.length : tooMany) - 1;
}
