export type Coding = "br" | "gzip";

/** The first of `codings` that an `Accept-Encoding` header allows; null for none. A weight of 0 is a refusal. */
export function chooseCoding(header: string | undefined, codings: readonly Coding[]): Coding | null {
  if (header === undefined) return null;
  const weights = new Map<string, number>();
  for (const item of header.split(",")) {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith("q="));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)));
  }
  return codings.find((coding) => (weights.get(coding) ?? weights.get("*") ?? 0) > 0) ?? null;
}
