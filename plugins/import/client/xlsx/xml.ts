import { message } from "../message.js";
import { UnreadableFile } from "../read/source.js";

/** An element of XML: its attributes as text, and what it contains. */
export interface XmlElement {
  readonly attributes: string;
  readonly content: string;
}

const patterns = new Map<string, RegExp>();

/** The elements of this name, with or without a prefix. Elements that contain others of the same name are not supported. */
export function* elements(xml: string, name: string): Generator<XmlElement> {
  for (const [, attributes = "", content = ""] of xml.matchAll(patternOf(name)))
    yield { attributes, content };
}

function patternOf(name: string): RegExp {
  const known = patterns.get(name);
  if (known !== undefined) return known;
  const made = new RegExp(
    `<(?:\\w+:)?${name}(?=[\\s/>])((?:[^>"']|"[^"]*"|'[^']*')*?)(?:/>|>([\\s\\S]*?)</(?:\\w+:)?${name}\\s*>)`,
    "g",
  );
  patterns.set(name, made);
  return made;
}

const attributePatterns = new Map<string, RegExp>();

/** The value of an attribute; null if it is missing. */
export function attribute(attributes: string, name: string): string | null {
  const pattern =
    attributePatterns.get(name) ?? new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`);
  attributePatterns.set(name, pattern);
  const found = pattern.exec(attributes);
  return found === null ? null : unescapeXml(found[1] ?? found[2] ?? "");
}

const NAMED: ReadonlyMap<string, string> = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["amp", "&"],
  ["quot", '"'],
  ["apos", "'"],
]);

const ESCAPED = /&(#x[0-9a-f]+|#\d+|\w+);/gi;

/** The text of character data. References to characters that do not exist stay as they are. */
export function unescapeXml(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(ESCAPED, (whole: string, reference: string) => characterOf(reference) ?? whole);
}

function characterOf(reference: string): string | undefined {
  if (!reference.startsWith("#")) return NAMED.get(reference);
  // `#x41` and `#65`
  const code = Number(reference.slice(1).replace(/^x/i, "0x"));
  return code <= MAX_CODE ? String.fromCodePoint(code) : undefined;
}

const MAX_CODE = 0x10ffff;

type Section = "none" | "comment" | "cdata";
/** What ends a section, or begins one. */
const BOUNDARIES: Readonly<Record<Section, RegExp>> = {
  none: /<!(?:--|\[CDATA\[)/,
  comment: /-->/,
  cdata: /\]\]>/,
};
const LONGEST_START = "<![CDATA[".length;

/** XML without comments, and with character data instead of CDATA sections. */
export async function* withoutSections(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let text = "";
  let section: Section = "none";
  for await (const piece of pieces) {
    text += piece;
    let plain = "";
    for (;;) {
      const found: RegExpExecArray | null = BOUNDARIES[section].exec(text);
      if (found === null) break;
      plain += plainText(text.slice(0, found.index), section);
      section = section !== "none" ? "none" : found[0] === "<!--" ? "comment" : "cdata";
      text = text.slice(found.index + found[0].length);
    }
    // The next piece may have the rest of a start or end.
    const whole = section === "none" ? incompleteStart(text) : Math.max(0, text.length - 2);
    yield plain + plainText(text.slice(0, whole), section);
    text = text.slice(whole);
  }
  yield plainText(text, section);
}

/** The place of a start that may be incomplete. */
function incompleteStart(text: string): number {
  const at = text.lastIndexOf("<");
  return at === -1 || text.length - at >= LONGEST_START ? text.length : at;
}

function plainText(content: string, section: Section): string {
  if (section === "none") return content;
  return section === "comment" ? "" : content.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/** In characters. No end tag is longer, and a row or text of a workbook is not as long. */
const [MAX_TAG, MAX_PART] = [100, 64 * 1024 * 1024];

/** Splits XML that arrives in pieces behind each end of the element. @throws UnreadableFile for a part that is too long */
export async function* splitBehind(pieces: AsyncIterable<string>, name: string): AsyncGenerator<string> {
  const end = new RegExp(`</(?:\\w+:)?${name}\\s*>`, "g");
  let kept: string[] = [];
  let length = 0;
  let tail = "";
  for await (const piece of pieces) {
    // Only the new piece is searched, and what may be the beginning of an end tag.
    const searched = tail + piece;
    let last = 0;
    for (const { index, 0: tag } of searched.matchAll(end)) last = index + tag.length;
    const rest = last === 0 ? piece : searched.slice(last);
    if (last > 0) {
      yield kept.join("") + searched.slice(tail.length, last);
      kept = [];
      length = 0;
    }
    kept.push(rest);
    length += rest.length;
    if (length > MAX_PART) throw new UnreadableFile(message("script.import.workbook_damaged"));
    tail = (last > 0 ? rest : searched).slice(-MAX_TAG);
  }
  yield kept.join("");
}
