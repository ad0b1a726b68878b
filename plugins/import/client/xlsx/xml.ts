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

const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** The text of character data. */
export function unescapeXml(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(String(hex), 16));
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return NAMED[String(name)] ?? String(whole);
  });
}

/** Splits XML that arrives in pieces behind each end of the element. */
export async function* splitBehind(pieces: AsyncIterable<string>, name: string): AsyncGenerator<string> {
  const end = new RegExp(`</(?:\\w+:)?${name}\\s*>`, "g");
  let rest = "";
  for await (const piece of pieces) {
    rest += piece;
    end.lastIndex = 0;
    let last = 0;
    while (end.exec(rest) !== null) last = end.lastIndex;
    if (last === 0) continue;
    yield rest.slice(0, last);
    rest = rest.slice(last);
  }
  yield rest;
}
