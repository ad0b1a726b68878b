/** A text field of a multipart body; `file-first` when a file stands before it; null when it is not there. */
export type FoundField = { readonly value: string } | "file-first" | null;

/** Looks for one text field among the parts of a `multipart/form-data` body. */
export function multipartField(body: Buffer, contentType: string, name: string): FoundField {
  const boundary = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType);
  const delimiter = boundary?.[1] ?? boundary?.[2];
  if (delimiter === undefined) return null;
  // Latin-1 keeps every byte one character, so that files can't change where parts begin.
  for (const part of body.toString("latin1").split(`--${delimiter}`).slice(1)) {
    const end = part.indexOf("\r\n\r\n");
    if (end < 0) continue;
    const disposition = /^content-disposition:([^\r\n]*)/im.exec(part.slice(0, end))?.[1] ?? "";
    if (/;\s*filename\*?=/i.test(disposition)) return "file-first";
    if (/;\s*name="([^"]*)"/i.exec(disposition)?.[1] !== name) continue;
    return { value: Buffer.from(part.slice(end + 4).replace(/\r\n$/, ""), "latin1").toString("utf8") };
  }
  return null;
}
