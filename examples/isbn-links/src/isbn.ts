/** The digits of a valid ISBN, without hyphens and spaces; null for anything else. */
export function isbn(value: unknown): string | null {
  const digits = String(value).replace(/[\s-]/g, "").toUpperCase();
  if (/^\d{9}[\dX]$/.test(digits)) return weighted(digits, (place) => 10 - place) % 11 === 0 ? digits : null;
  if (/^\d{13}$/.test(digits))
    return weighted(digits, (place) => (place % 2 === 0 ? 1 : 3)) % 10 === 0 ? digits : null;
  return null;
}

const weighted = (digits: string, weight: (place: number) => number): number =>
  [...digits].reduce((sum, digit, place) => sum + weight(place) * (digit === "X" ? 10 : Number(digit)), 0);
