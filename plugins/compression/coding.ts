import Negotiator from "negotiator";

export type Coding = "br" | "gzip";

/** The first of `codings` that an `Accept-Encoding` header allows; null for none. */
export function chooseCoding(header: string | undefined, codings: readonly Coding[]): Coding | null {
  const allowed = new Negotiator({ headers: { "accept-encoding": header } }).encodings(codings);
  return codings.find((coding) => allowed.includes(coding)) ?? null;
}
