const SYMBOLS: Readonly<Record<string, string>> = {
  ampere: "A",
  bit: "bit",
  byte: "B",
  bytes: "B",
  celsius: "°C",
  day: "d",
  degC: "°C",
  degree: "°",
  foot: "ft",
  gram: "g",
  hertz: "Hz",
  hour: "h",
  inch: "in",
  joule: "J",
  kelvin: "K",
  kilogram: "kg",
  kilometer: "km",
  kilometre: "km",
  knot: "kt",
  liter: "l",
  litre: "l",
  meter: "m",
  metre: "m",
  mile: "mi",
  minute: "min",
  nautical_mile: "nmi",
  newton: "N",
  pascal: "Pa",
  percent: "%",
  pound: "lb",
  second: "s",
  ton: "t",
  tonne: "t",
  volt: "V",
  watt: "W",
  yard: "yd",
  year: "a",
};

// Units that already carry a prefix, or that nobody puts one in front of.
const UNPREFIXED = new Set([
  "kg",
  "km",
  "°C",
  "°",
  "%",
  "d",
  "h",
  "min",
  "a",
  "mi",
  "nmi",
  "ft",
  "in",
  "yd",
  "lb",
  "kt",
]);
const PREFIXES = [
  "y",
  "z",
  "a",
  "f",
  "p",
  "n",
  "µ",
  "m",
  "",
  "k",
  "M",
  "G",
  "T",
  "P",
  "E",
  "Z",
  "Y",
] as const;
const NO_PREFIX = PREFIXES.indexOf("");

/** Symbols that metadata's `custom_units` define: `decibel = [] = dB` makes `decibel` show as `dB`. */
export function customSymbols(definitions: unknown): Readonly<Record<string, string>> {
  if (!Array.isArray(definitions)) return {};
  const pairs = definitions.map(String).map((line) => line.split("=").map((part) => part.trim()));
  return Object.fromEntries(pairs.flatMap(([name, , symbol]) => (name && symbol ? [[name, symbol]] : [])));
}

/** A number with its unit and an SI prefix, six decimals at most: `9.007199 Pm`. */
export function quantity(value: number, unit: string, custom: Readonly<Record<string, string>> = {}): string {
  const symbol = Object.hasOwn(custom, unit)
    ? custom[unit]!
    : Object.hasOwn(SYMBOLS, unit)
      ? SYMBOLS[unit]!
      : unit;
  if (value === 0 || !Number.isFinite(value) || UNPREFIXED.has(symbol)) return `${decimals(value)} ${symbol}`;
  const wanted = Math.floor(Math.log10(Math.abs(value)) / 3);
  const step = Math.max(-NO_PREFIX, Math.min(wanted, PREFIXES.length - 1 - NO_PREFIX));
  return `${decimals(value / 1000 ** step)} ${PREFIXES[NO_PREFIX + step]}${symbol}`;
}

const decimals = (value: number): string =>
  Number.isFinite(value) ? value.toFixed(6).replace(/\.?0+$/, "") : String(value);
