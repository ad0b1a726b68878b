/** Does an `If-None-Match` header name this tag? `*` is not answered: the page might not exist. */
export function hasTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const opaque = tag.replace(/^W\//, "");
  return header.split(",").some((one) => one.trim().replace(/^W\//, "") === opaque);
}
