type Version = readonly [major: number, minor: number, patch: number];

/** From this version on, up to but without that one. */
interface Span {
  readonly from: Version;
  readonly below: Version;
}

const NO_LIMIT: Version = [Infinity, 0, 0];

/**
 * Does a version fit a range as package manifests write it: `^0.1.0`, `>=1 <3`, `1.x || ~2.1.0`, `1.0 - 2.0`?
 * A range in no such form (an address, a tag) fits: it names a copy, not a number. Pre-releases count as the
 * version they lead to.
 */
export function satisfies(version: string, range: string): boolean {
  const actual = partsOf(version);
  if (actual === null) return true;
  const alternatives = range.split("||").map((one) => spansOf(one.trim()));
  return alternatives.some(
    (spans) =>
      spans === null ||
      spans.every(
        ({ from, below }) => compare(actual.version, from) >= 0 && compare(actual.version, below) < 0,
      ),
  );
}

/** The spans of which all must hold; null where the text is no range. */
function spansOf(range: string): readonly Span[] | null {
  const hyphened = /^(\S+)\s+-\s+(\S+)$/.exec(range);
  const words = hyphened === null ? range : `>=${hyphened[1]} <=${hyphened[2]}`;
  const comparators = words.replace(/([<>=~^])\s+/g, "$1").split(/\s+/);
  const spans = comparators.map(spanOf);
  return spans.includes(null) ? null : spans.filter((span) => span !== null);
}

function spanOf(comparator: string): Span | null {
  const [, operator = "", written = ""] = /^([<>]=?|=|\^|~>?)?(.*)$/.exec(comparator) ?? [];
  const parts = partsOf(written);
  if (parts === null) return null;
  const { version, given } = parts;
  const next = raised(version, given);
  switch (operator) {
    case ">=":
      return { from: version, below: NO_LIMIT };
    case ">":
      return { from: given === 3 ? raised(version, 3) : next, below: NO_LIMIT };
    case "<":
      return { from: [0, 0, 0], below: version };
    case "<=":
      return { from: [0, 0, 0], below: next };
    case "^":
      return { from: version, below: raised(version, Math.min(given, firstNonZero(version))) };
    case "~":
    case "~>":
      return { from: version, below: raised(version, Math.min(given, 2)) };
    default:
      return { from: version, below: next };
  }
}

/** The version, and how many of its three numbers were stated; null for text that is no version. */
function partsOf(written: string): { readonly version: Version; readonly given: number } | null {
  if (["", "*", "x", "X", "latest"].includes(written)) return { version: [0, 0, 0], given: 0 };
  const found = /^v?(\d+)(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(?:[-+].*)?$/.exec(written);
  if (found === null) return null;
  const numbers = found.slice(1).map((part) => (part === undefined ? NaN : Number(part)));
  const given = numbers.findIndex(Number.isNaN);
  const [major = 0, minor = 0, patch = 0] = numbers.map((number) => (Number.isNaN(number) ? 0 : number));
  return { version: [major, minor, patch], given: given === -1 ? 3 : given };
}

/** The first version that differs in the first `count` numbers. */
function raised([major, minor, patch]: Version, count: number): Version {
  if (count === 0) return NO_LIMIT;
  if (count === 1) return [major + 1, 0, 0];
  return count === 2 ? [major, minor + 1, 0] : [major, minor, patch + 1];
}

/** A caret lets everything change after the first number that is not zero. */
const firstNonZero = (version: Version): number => {
  const index = version.findIndex((number) => number !== 0);
  return index === -1 ? 3 : index + 1;
};

function compare(left: Version, right: Version): number {
  const index = left.findIndex((number, place) => number !== right[place]);
  return index === -1 ? 0 : (left[index] ?? 0) - (right[index] ?? 0);
}
