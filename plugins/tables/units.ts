import { BadRequest, type MetadataBlock } from "rowhouse/plugin-api";
import { realText } from "rowhouse/plugin-api/engine";

/** Exponents of the base quantities, and the factor to the base unit. */
interface Measure {
  readonly factor: number;
  readonly dimensions: Readonly<Record<string, number>>;
}

const measure = (factor: number, dimensions: Measure["dimensions"]): Measure => ({ factor, dimensions });
const length = (factor: number): Measure => measure(factor, { length: 1 });
const mass = (factor: number): Measure => measure(factor, { mass: 1 });
const time = (factor: number): Measure => measure(factor, { time: 1 });
const volume = (factor: number): Measure => measure(factor, { length: 3 });
const info = (factor: number): Measure => measure(factor, { information: 1 });

const UNITS: ReadonlyMap<string, Measure> = new Map(
  Object.entries({
    "m meter metre meters metres": length(1),
    "inch in inches": length(0.0254),
    "foot ft feet": length(0.3048),
    "yard yd yards": length(0.9144),
    "mile mi miles": length(1609.344),
    "nautical_mile nmi nautical_miles": length(1852),
    "g gram grams": mass(1),
    "t tonne tonnes": mass(1e6),
    "lb pound pounds": mass(453.59237),
    "oz ounce ounces": mass(28.349523125),
    "s second seconds sec": time(1),
    "min minute minutes": time(60),
    "h hour hours hr": time(3600),
    "d day days": time(86400),
    "week weeks": time(604800),
    "year years a": time(31557600),
    "l L liter litre liters litres": volume(0.001),
    "gallon gal gallons": volume(0.003785411784),
    "hectare ha": measure(10000, { length: 2 }),
    "acre acres": measure(4046.8564224, { length: 2 }),
    "knot kt knots": measure(1852 / 3600, { length: 1, time: -1 }),
    "mph miles_per_hour": measure(1609.344 / 3600, { length: 1, time: -1 }),
    "Hz hertz": measure(1, { time: -1 }),
    "N newton": measure(1000, { mass: 1, length: 1, time: -2 }),
    "J joule joules": measure(1000, { mass: 1, length: 2, time: -2 }),
    "W watt watts": measure(1000, { mass: 1, length: 2, time: -3 }),
    "Wh watt_hour": measure(3.6e6, { mass: 1, length: 2, time: -2 }),
    "Pa pascal": measure(1000, { mass: 1, length: -1, time: -2 }),
    bar: measure(1e8, { mass: 1, length: -1, time: -2 }),
    "A ampere": measure(1, { current: 1 }),
    "V volt volts": measure(1000, { mass: 1, length: 2, time: -3, current: -1 }),
    "K kelvin": measure(1, { temperature: 1 }),
    "bit bits": info(1),
    "B byte bytes": info(8),
    "deg degree degrees": measure(Math.PI / 180, {}),
    "rad radian": measure(1, {}),
    percent: measure(0.01, {}),
  }).flatMap(([names, unit]) => names.split(" ").map((name) => [name, unit] as const)),
);

const PREFIXES: readonly (readonly [name: string, factor: number])[] = [
  ["kilo", 1e3],
  ["mega", 1e6],
  ["giga", 1e9],
  ["tera", 1e12],
  ["milli", 1e-3],
  ["micro", 1e-6],
  ["nano", 1e-9],
  ["centi", 1e-2],
  ["deci", 1e-1],
  ["hecto", 1e2],
  ["deca", 10],
  ["kibi", 1024],
  ["mebi", 1024 ** 2],
  ["Ki", 1024],
  ["Mi", 1024 ** 2],
  ["Gi", 1024 ** 3],
  ["da", 10],
  ["k", 1e3],
  ["M", 1e6],
  ["G", 1e9],
  ["T", 1e12],
  ["P", 1e15],
  ["m", 1e-3],
  ["µ", 1e-6],
  ["u", 1e-6],
  ["n", 1e-9],
  ["p", 1e-12],
  ["c", 1e-2],
  ["d", 1e-1],
  ["h", 1e2],
];

/** Units of the metadata's `custom_units` (`decibel = [] = dB`, `fathom = 6 * foot = ftm`) by name. */
export type CustomUnits = ReadonlyMap<string, Measure>;

/** Parses `custom_units`; invalid lines are ignored. */
export function customUnits(lines: unknown): CustomUnits {
  const units = new Map<string, Measure>();
  for (const line of Array.isArray(lines) ? lines : []) {
    const [name = "", definition = "", ...aliases] = String(line)
      .split("=")
      .map((part) => part.trim());
    const parsed = parseDefinition(name, definition, units);
    if (parsed !== null) for (const alias of [name, ...aliases]) units.set(alias, parsed);
  }
  return units;
}

function parseDefinition(name: string, definition: string, units: CustomUnits): Measure | null {
  const dimension = /^\[(.*)\]$/.exec(definition);
  if (dimension !== null) return measure(1, { [`custom:${dimension[1] === "" ? name : dimension[1]}`]: 1 });
  const [, factor = "1", unit = ""] = /^\s*([\d.eE+-]+)?\s*\*?\s*(.*)$/.exec(definition) ?? [];
  const base = unit === "" ? measure(1, {}) : measureOf(unit, units);
  return base === null ? null : measure(Number(factor) * base.factor, base.dimensions);
}

const QUANTITY = /^([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)(\D.*)?$/;

/**
 * Converts a filter value such as `0.125km` to the unit of its column.
 *
 * @returns the number as text: as written if no conversion was needed, else as a REAL (`125.0`)
 * @throws BadRequest if the value is not a quantity, or its unit is unknown or has other dimensions
 */
export function convertQuantity(value: string, columnUnit: string, custom: CustomUnits): string {
  const [, number, unit = ""] = QUANTITY.exec(value.trim()) ?? [];
  if (number === undefined) throw new BadRequest(`${valueIn(value)} is not a quantity`);
  const wanted = unit.trim();
  if (wanted === "" || wanted === columnUnit)
    return /^[-+]?\d+$/.test(number) ? number : realText(Number(number));
  const from = measureOf(wanted, custom);
  const to = measureOf(columnUnit, custom);
  if (from === null) throw new BadRequest(`${valueIn(value)} has an unknown unit`);
  if (to === null || !sameDimensions(from, to)) {
    throw new BadRequest(`${valueIn(value)} cannot be converted to ${columnUnit}`);
  }
  return realText(roundNoise((Number(number) * from.factor) / to.factor));
}

const valueIn = (value: string): string => JSON.stringify(value.slice(0, 100));

/** Rounds to twelve digits: further digits of a conversion are rounding errors. */
const roundNoise = (value: number): number => Number(value.toPrecision(12));

/** Parses `km`, `m/s`, `kg*m**2`; null for unknown units. */
function measureOf(expression: string, custom: CustomUnits): Measure | null {
  let result = measure(1, {});
  for (const [, operator, name = "", exponent = "1"] of expression
    .replace(/\bper\b/g, "/")
    .replace(/\s+/g, " ")
    .matchAll(/ ?([*/])? ?([^ */^]+)(?: ?(?:\*\*|\^) ?(-?\d+))?/g)) {
    const unit = unitOf(name, custom);
    if (unit === null) return null;
    result = multiply(result, unit, (operator === "/" ? -1 : 1) * Number(exponent));
  }
  return result;
}

function unitOf(name: string, custom: CustomUnits): Measure | null {
  const exact = custom.get(name) ?? UNITS.get(name);
  if (exact !== undefined) return exact;
  for (const [prefix, factor] of PREFIXES) {
    if (!name.startsWith(prefix)) continue;
    const unit = custom.get(name.slice(prefix.length)) ?? UNITS.get(name.slice(prefix.length));
    if (unit !== undefined) return measure(unit.factor * factor, unit.dimensions);
  }
  return null;
}

function multiply(left: Measure, right: Measure, power: number): Measure {
  const dimensions: Record<string, number> = { ...left.dimensions };
  for (const [name, exponent] of Object.entries(right.dimensions)) {
    dimensions[name] = (dimensions[name] ?? 0) + exponent * power;
  }
  return measure(left.factor * right.factor ** power, dimensions);
}

const sameDimensions = (left: Measure, right: Measure): boolean =>
  [...new Set([...Object.keys(left.dimensions), ...Object.keys(right.dimensions)])].every(
    (name) => (left.dimensions[name] ?? 0) === (right.dimensions[name] ?? 0),
  );

/** Units by column, and the custom units of the instance. */
export interface UnitsOfTable {
  readonly byColumn: ReadonlyMap<string, string>;
  readonly custom: CustomUnits;
}

/** The units of a table's columns, from its metadata block and the document's `custom_units`. */
export function unitsOfTable(table: MetadataBlock, document: MetadataBlock): UnitsOfTable {
  const units = table["units"];
  if (typeof units !== "object" || units === null) return NO_UNITS;
  return {
    byColumn: new Map(Object.entries(units).map(([column, unit]) => [column, String(unit)])),
    custom: customUnits(document["custom_units"]),
  };
}

const NO_UNITS: UnitsOfTable = { byColumn: new Map(), custom: new Map() };
