import { UnreadableFile } from "../read/source.js";
import { piecesOf } from "../read/text.js";
import { message } from "../message.js";
import { updatedCrc } from "./crc.js";
import { withoutSections } from "./xml.js";

/** A file of XML in a ZIP archive, in UTF-8. @throws UnreadableFile if it is damaged */
export interface ZipEntry {
  /** Its text in pieces, without comments and CDATA sections. */
  texts(): AsyncGenerator<string>;
  text(): Promise<string>;
}

const END = 0x06054b50;
const END_64_LOCATOR = 0x07064b50;
const ENTRY = 0x02014b50;
const END_BYTES = 22;
const MAX_COMMENT = 65_535;
/** A field of 32 bits whose value is in a field of 64 bits. */
const ELSEWHERE = 0xffffffff;
/** In characters. Sheets may be longer: they are read in pieces. */
const MAX_TEXT = 64 * 1024 * 1024;
const damaged = (): UnreadableFile => new UnreadableFile(message("script.import.workbook_damaged"));

/** The files of a ZIP archive by name. Only the directory is read; files are decompressed by the browser. @throws UnreadableFile */
export async function zipEntries(file: Blob): Promise<ReadonlyMap<string, ZipEntry>> {
  try {
    return await entriesOf(file);
  } catch (error) {
    // A position in the directory is behind its end.
    throw error instanceof RangeError ? damaged() : error;
  }
}

async function entriesOf(file: Blob): Promise<ReadonlyMap<string, ZipEntry>> {
  const magic = await view(file, 0, 4);
  if (magic.byteLength === 4 && magic.getUint32(0) === 0xd0cf11e0)
    throw new UnreadableFile(message("script.import.workbook_old"));
  const { offset, size } = await directoryOf(file);
  const directory = await view(file, offset, offset + size);
  const entries = new Map<string, ZipEntry>();
  for (let at = 0; at + 46 <= directory.byteLength && directory.getUint32(at, true) === ENTRY;) {
    const [name, entry, length] = entryAt(file, directory, at);
    entries.set(name, entry);
    at += length;
  }
  if (entries.size === 0) throw damaged();
  return entries;
}

const view = async (file: Blob, from: number, to: number): Promise<DataView> =>
  new DataView(await file.slice(Math.max(0, from), to).arrayBuffer());

interface Directory {
  readonly offset: number;
  readonly size: number;
}

async function directoryOf(file: Blob): Promise<Directory> {
  const start = Math.max(0, file.size - END_BYTES - MAX_COMMENT);
  const tail = await view(file, start, file.size);
  for (let at = tail.byteLength - END_BYTES; at >= 0; at -= 1) {
    if (tail.getUint32(at, true) !== END) continue;
    const found = { size: tail.getUint32(at + 12, true), offset: tail.getUint32(at + 16, true) };
    if (found.offset !== ELSEWHERE && found.size !== ELSEWHERE) return found;
    return largeDirectoryOf(file, start + at - 20);
  }
  throw damaged();
}

async function largeDirectoryOf(file: Blob, locatorAt: number): Promise<Directory> {
  const locator = await view(file, locatorAt, locatorAt + 20);
  if (locator.byteLength < 20 || locator.getUint32(0, true) !== END_64_LOCATOR) throw damaged();
  const endAt = Number(locator.getBigUint64(8, true));
  const end = await view(file, endAt, endAt + 56);
  return { size: Number(end.getBigUint64(40, true)), offset: Number(end.getBigUint64(48, true)) };
}

function entryAt(
  file: Blob,
  directory: DataView,
  at: number,
): readonly [name: string, entry: ZipEntry, length: number] {
  const lengths = [28, 30, 32].map((field) => directory.getUint16(at + field, true));
  const [nameLength = 0, extraLength = 0, commentLength = 0] = lengths;
  const bytes = new Uint8Array(directory.buffer, directory.byteOffset + at + 46, nameLength);
  const isEncrypted = (directory.getUint16(at + 8, true) & 1) === 1;
  const method = directory.getUint16(at + 10, true);
  const crc = directory.getUint32(at + 16, true);
  const [, size, offset] = sizesOf(directory, at, at + 46 + nameLength, extraLength);
  const texts = (): AsyncGenerator<string> =>
    withoutSections(textsOf(file, { offset, size, method, isEncrypted, crc }));
  const entry = { texts, text: () => joined(texts()) };
  return [new TextDecoder().decode(bytes), entry, 46 + nameLength + extraLength + commentLength];
}

/** The size of the content, the stored size and the offset. Large ones are in an extra field, in this order. */
function sizesOf(
  directory: DataView,
  at: number,
  extraAt: number,
  extraLength: number,
): readonly [content: number, stored: number, offset: number] {
  const sizes = [24, 20, 42].map((field) => directory.getUint32(at + field, true));
  let value = largeSizesAt(directory, extraAt, extraLength);
  for (const [index, size] of sizes.entries()) {
    if (size !== ELSEWHERE) continue;
    sizes[index] = Number(directory.getBigUint64(value, true));
    value += 8;
  }
  const [content = 0, stored = 0, offset = 0] = sizes;
  return [content, stored, offset];
}

/** The position of the large sizes among the extra fields. */
function largeSizesAt(directory: DataView, start: number, length: number): number {
  let field = start;
  while (field + 4 <= start + length && directory.getUint16(field, true) !== 1)
    field += 4 + directory.getUint16(field + 2, true);
  return field + 4;
}

interface Stored {
  readonly offset: number;
  readonly size: number;
  readonly method: number;
  readonly isEncrypted: boolean;
  /** The checksum of the content. */
  readonly crc: number;
}

async function* textsOf(file: Blob, stored: Stored): AsyncGenerator<string> {
  if (stored.isEncrypted) throw new UnreadableFile(message("script.import.workbook_password"));
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let crc = 0;
  try {
    for await (const piece of piecesOf(await contentOf(file, stored))) {
      crc = updatedCrc(crc, piece);
      yield decoder.decode(piece, { stream: true });
    }
    yield decoder.decode();
  } catch {
    throw damaged();
  }
  if (crc !== stored.crc) throw damaged();
}

/** @throws RangeError if the file ends before */
async function contentOf(file: Blob, { offset, size, method }: Stored): Promise<ReadableStream<Uint8Array>> {
  if (method !== 0 && method !== 8) throw damaged();
  const header = await view(file, offset, offset + 30);
  const start = offset + 30 + header.getUint16(26, true) + header.getUint16(28, true);
  const content = file.slice(start, start + size).stream();
  if (method === 0) return content;
  return content.pipeThrough(
    new DecompressionStream("deflate-raw") as unknown as TransformStream<Uint8Array, Uint8Array>,
  );
}

async function joined(texts: AsyncIterable<string>): Promise<string> {
  const pieces: string[] = [];
  let length = 0;
  for await (const piece of texts) {
    pieces.push(piece);
    length += piece.length;
    if (length > MAX_TEXT) throw damaged();
  }
  return pieces.join("");
}
