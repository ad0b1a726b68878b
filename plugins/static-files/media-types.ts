const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    avif: "image/avif",
    bmp: "image/bmp",
    css: "text/css; charset=utf-8",
    csv: "text/csv; charset=utf-8",
    gif: "image/gif",
    gz: "application/gzip",
    htm: "text/html; charset=utf-8",
    html: "text/html; charset=utf-8",
    ico: "image/x-icon",
    jpeg: "image/jpeg",
    jpg: "image/jpeg",
    js: "text/javascript; charset=utf-8",
    json: "application/json; charset=utf-8",
    map: "application/json; charset=utf-8",
    mjs: "text/javascript; charset=utf-8",
    mp3: "audio/mpeg",
    mp4: "video/mp4",
    otf: "font/otf",
    pdf: "application/pdf",
    png: "image/png",
    svg: "image/svg+xml",
    ttf: "font/ttf",
    txt: "text/plain; charset=utf-8",
    wasm: "application/wasm",
    webm: "video/webm",
    webmanifest: "application/manifest+json",
    webp: "image/webp",
    woff: "font/woff",
    woff2: "font/woff2",
    xml: "application/xml; charset=utf-8",
    zip: "application/zip",
  }),
);

/** The content type of a file by its extension; plain text when the extension says nothing. */
export function mediaType(file: string): string {
  const extension = file.slice(file.lastIndexOf(".") + 1).toLowerCase();
  return TYPES.get(extension) ?? "text/plain; charset=utf-8";
}
