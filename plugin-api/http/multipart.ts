import { BadRequest } from "../errors/classes.js";
import { TimeSlices } from "./time-slices.js";

/** A table of 2,000 columns has a form of 6,000 fields. More parts would block the event loop. */
const MOST_PARTS = 6_500;
const BOUNDARY = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i;

const UNREADABLE = "The multipart form could not be read";

/** Node parses a form in one step, which takes 12 ms for 1,000 parts. */
const PARTS_AT_ONCE = 300;

/** A part of a form, in bytes of the body. */
interface Part {
  readonly start: number;
  /** Where its headers end. */
  readonly content: number;
}

/**
 * The fields and files of a multipart form, in order, parsed in slices. Node has a parser for them, as part of `fetch`.
 *
 * @throws BadRequest
 */
export async function multipartEntries(
  body: Buffer,
  contentType: string,
): Promise<readonly (readonly [name: string, value: string | File])[]> {
  const boundary = boundaryOf(contentType);
  const parts = partsOf(body, boundary);
  const entries: (readonly [string, string | File])[] = [];
  const slices = new TimeSlices();
  try {
    for (const piece of smallForms(body, parts, boundary)) {
      const form = await new Response(piece, { headers: { "content-type": contentType } }).formData();
      entries.push(...form);
      await slices.nextIfOver();
    }
  } catch (error) {
    throw new BadRequest(UNREADABLE, { cause: error });
  }
  if (entries.length !== parts.length) return entries;
  return entries.map(([name, value], index) => [
    name,
    typeof value === "string" ? withByteOrderMarks(value, body, parts[index]?.content ?? 0) : value,
  ]);
}

function boundaryOf(contentType: string): string {
  const [, quoted, plain = quoted ?? ""] = BOUNDARY.exec(contentType) ?? [];
  return `--${plain}`;
}

/** The form as forms of a few parts each. */
function* smallForms(body: Buffer, parts: readonly Part[], boundary: string): Generator<Buffer> {
  let start = 0;
  for (let next = PARTS_AT_ONCE; next < parts.length; next += PARTS_AT_ONCE) {
    const end = parts[next]?.start ?? 0;
    yield Buffer.concat([body.subarray(start, end), Buffer.from(`${boundary}--\r\n`)]);
    start = end;
  }
  yield body.subarray(start);
}

/** @throws BadRequest */
function partsOf(body: Buffer, boundary: string): readonly Part[] {
  const parts: Part[] = [];
  let count = 0;
  let headersEnd = -1;
  for (let at = body.indexOf(boundary); at !== -1; at = body.indexOf(boundary, at + boundary.length)) {
    count += 1;
    if (count > MOST_PARTS) throw new BadRequest(`A form has at most ${MOST_PARTS} parts`);
    const isLine = at === 0 || body.toString("latin1", at - 2, at) === "\r\n";
    if (!isLine) continue;
    const rest = body.toString("latin1", at + boundary.length, at + boundary.length + 5);
    const isLast = rest.startsWith("--");
    // Some versions of Node ignore what follows the last part, and would lose further parts.
    if (isLast && rest !== "--" && rest !== "--\r\n") throw new BadRequest(UNREADABLE);
    if (isLast) break;
    // One search for all parts before it: it may be far behind them.
    if (headersEnd < at) headersEnd = body.indexOf("\r\n\r\n", at);
    if (headersEnd === -1) break;
    parts.push({ start: at, content: headersEnd + 4 });
  }
  return parts;
}

const MARK = "\ufeff";
const MARK_BYTES = Buffer.from(MARK);

/** Node removes U+FEFF from the start of a field, where it takes the character for a byte order mark of the text. */
function withByteOrderMarks(value: string, body: Buffer, start: number): string {
  let end = start;
  while (body.subarray(end, end + MARK_BYTES.length).equals(MARK_BYTES)) end += MARK_BYTES.length;
  return end === start ? value : body.toString("utf8", start, end) + value.replace(/^\ufeff+/, "");
}
