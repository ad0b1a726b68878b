const SYMBOLS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    A: "ampere",
    B: "byte bytes",
    bit: "bit bits",
    "°C": "celsius degC",
    "°": "degree degrees deg",
    d: "day days",
    ft: "foot feet",
    g: "gram grams",
    Hz: "hertz",
    h: "hour hours",
    in: "inch inches",
    J: "joule joules",
    K: "kelvin",
    kg: "kilogram kilograms",
    km: "kilometer kilometre kilometers kilometres",
    kt: "knot knots",
    l: "liter litre liters litres",
    m: "meter metre meters metres",
    mi: "mile miles",
    min: "minute minutes",
    N: "newton",
    nmi: "nautical_mile nautical_miles",
    Pa: "pascal",
    "%": "percent",
    lb: "pound pounds",
    s: "second seconds",
    t: "ton tonne tonnes",
    V: "volt volts",
    W: "watt watts",
    yd: "yard yards",
    a: "year years",
  }).flatMap(([symbol, names]) => names.split(" ").map((name) => [name, symbol] as const)),
);

/** The symbols that `custom_units` of the metadata defines: `decibel = [] = dB` shows `decibel` as `dB`. */
export function customSymbols(definitions: unknown): ReadonlyMap<string, string> {
  if (!Array.isArray(definitions)) return new Map();
  const lines = definitions.map((line) =>
    String(line)
      .split("=")
      .map((part) => part.trim()),
  );
  return new Map(lines.flatMap(([name, , symbol]) => (name && symbol ? [[name, symbol] as const] : [])));
}

/** The symbol of a unit: `km` for `kilometre`. All values of a column have this unit, and filters read it. */
export const unitSymbol = (unit: string, custom: ReadonlyMap<string, string>): string =>
  custom.get(unit) ?? SYMBOLS.get(unit) ?? unit;
