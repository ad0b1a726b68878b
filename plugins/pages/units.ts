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

// Units that contain a prefix already, or that are never used with one.
const UNPREFIXED = new Set("kg km °C ° % d h min a mi nmi ft in yd lb kt".split(" "));

/** From 10^-24 to 10^24 in steps of 1000. The empty prefix is in the middle. */
const PREFIXES = "y z a f p n µ m  k M G T P E Z Y".split(" ");
const NO_PREFIX = PREFIXES.indexOf("");

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

/** A number with its unit and an SI prefix, with at most six decimals: `9.007199 Pm`. */
export function quantity(value: number, unit: string, custom: ReadonlyMap<string, string>): string {
  const symbol = custom.get(unit) ?? SYMBOLS.get(unit) ?? unit;
  if (value === 0 || !Number.isFinite(value) || UNPREFIXED.has(symbol)) return `${decimals(value)} ${symbol}`;
  const wanted = Math.floor(Math.log10(Math.abs(value)) / 3);
  const step = Math.max(-NO_PREFIX, Math.min(wanted, PREFIXES.length - 1 - NO_PREFIX));
  return `${decimals(value / 1000 ** step)} ${PREFIXES[NO_PREFIX + step]}${symbol}`;
}

const decimals = (value: number): string =>
  Number.isFinite(value) ? value.toFixed(6).replace(/\.?0+$/, "") : String(value);
