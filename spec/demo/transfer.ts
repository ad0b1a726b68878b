import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { Kernel } from "rowhouse";
import type { Reply } from "rowhouse/plugin-api";

const ASSET = /<(?:link rel="stylesheet" href|script src)="([^"]+)"/g;

/**
 * Bytes that a browser receives for a page and the styles and scripts it names, when it has kept nothing.
 *
 * @param known the bytes of those that other pages named, by address
 */
export async function transferOf(
  kernel: Kernel,
  path: string,
  headers: Readonly<Record<string, string>>,
  known: Map<string, Promise<number>>,
): Promise<number> {
  const sizeOf = (url: string): Promise<number> => {
    const size = known.get(url) ?? sent(kernel, url, {}).then(({ bytes }) => bytes.length);
    known.set(url, size);
    return size;
  };
  const document = await sent(kernel, path, headers);
  const assets = new Set([...textOf(document).matchAll(ASSET)].map(([, url = ""]) => url));
  const sizes = await Promise.all([...assets].map(sizeOf));
  return sizes.reduce((sum, size) => sum + size, document.bytes.length);
}

interface Sent {
  readonly bytes: Buffer;
  readonly coding: unknown;
}

async function sent(kernel: Kernel, path: string, given: Readonly<Record<string, string>>): Promise<Sent> {
  const headers = { ...given, "accept-encoding": "gzip, deflate, br" };
  const reply = await kernel.fetch(path, { headers });
  return { bytes: await bytesOf(reply.body), coding: reply.headers["content-encoding"] };
}

function textOf({ bytes, coding }: Sent): string {
  if (coding === "br") return brotliDecompressSync(bytes).toString();
  return (coding === "gzip" ? gunzipSync(bytes) : bytes).toString();
}

async function bytesOf(body: Reply["body"]): Promise<Buffer> {
  if (typeof body === "string") return Buffer.from(body);
  if (body instanceof Uint8Array) return Buffer.from(body);
  const pieces: Buffer[] = [];
  for await (const piece of body)
    pieces.push(typeof piece === "string" ? Buffer.from(piece) : Buffer.from(piece));
  return Buffer.concat(pieces);
}
