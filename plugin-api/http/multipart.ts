import { BadRequest } from "../errors/classes.js";

/** A table of 2,000 columns has a form of 6,000 fields. More parts would block the event loop. */
const MOST_PARTS = 6_500;
const BOUNDARY = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i;

/**
 * The fields and files of a multipart form, in order. Node has a parser for them, as part of `fetch`.
 *
 * @throws BadRequest
 */
export async function multipartEntries(
  body: Buffer,
  contentType: string,
): Promise<readonly (readonly [name: string, value: string | File])[]> {
  const starts = partStarts(body, contentType);
  try {
    const form = await new Response(body, { headers: { "content-type": contentType } }).formData();
    const entries = [...form];
    if (entries.length !== starts.length) return entries;
    return entries.map(([name, value], index) => [
      name,
      typeof value === "string" ? withByteOrderMarks(value, body, starts[index] ?? 0) : value,
    ]);
  } catch (error) {
    throw new BadRequest("The multipart form could not be read", { cause: error });
  }
}

/** Where the content of each part begins. @throws BadRequest */
function partStarts(body: Buffer, contentType: string): readonly number[] {
  const [, quoted, plain = quoted ?? ""] = BOUNDARY.exec(contentType) ?? [];
  const delimiter = `--${plain}`;
  const starts: number[] = [];
  let parts = 0;
  for (let at = body.indexOf(delimiter); at !== -1; at = body.indexOf(delimiter, at + delimiter.length)) {
    parts += 1;
    if (parts > MOST_PARTS) throw new BadRequest(`A form has at most ${MOST_PARTS} parts`);
    const end = body.indexOf("\r\n\r\n", at);
    const isLast = body.toString("latin1", at + delimiter.length, at + delimiter.length + 2) === "--";
    const isLine = at === 0 || body.toString("latin1", at - 2, at) === "\r\n";
    if (isLine && !isLast && end !== -1) starts.push(end + 4);
  }
  return starts;
}

const MARK = "\ufeff";
const MARK_BYTES = Buffer.from(MARK);

/** Node removes U+FEFF from the start of a field, where it takes the character for a byte order mark of the text. */
function withByteOrderMarks(value: string, body: Buffer, start: number): string {
  let end = start;
  while (body.subarray(end, end + MARK_BYTES.length).equals(MARK_BYTES)) end += MARK_BYTES.length;
  return end === start ? value : body.toString("utf8", start, end) + value.replace(/^\ufeff+/, "");
}
