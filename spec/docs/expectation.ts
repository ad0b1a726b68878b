const ANYTHING = "...";

/**
 * Does `actual` look as printed? `...` matches anything within a line, and alone on a line any number of
 * lines. Spaces at the ends do not count.
 */
export function matchesText(actual: string, printed: string): boolean {
  const lines = printed.trim().split("\n");
  const pattern = lines
    .map((line) => (line.trim() === ANYTHING ? "(?:.*\n)*?" : `${linePattern(line)}\n`))
    .join("");
  return new RegExp(`^${pattern}$`).test(`${actual.trim().replaceAll("\r", "")}\n`);
}

const linePattern = (line: string): string => line.trimEnd().split(ANYTHING).map(literally).join(".*");

const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/**
 * Does a JSON value look as printed? `"..."` matches any value, within a string any characters, as the last
 * item of a list for further items, and the member `"...": "..."` for further members.
 */
export function matchesJson(actual: unknown, printed: unknown): boolean {
  if (printed === ANYTHING) return true;
  if (typeof printed === "string") return typeof actual === "string" && matchesString(actual, printed);
  if (Array.isArray(printed)) return Array.isArray(actual) && matchesList(actual, printed);
  if (isObject(printed)) return isObject(actual) && matchesObject(actual, printed);
  return actual === printed;
}

const matchesString = (actual: string, printed: string): boolean =>
  new RegExp(`^${printed.split(ANYTHING).map(literally).join("[^]*")}$`).test(actual);

function matchesList(actual: readonly unknown[], printed: readonly unknown[]): boolean {
  const isOpen = printed.at(-1) === ANYTHING;
  const shown = isOpen ? printed.slice(0, -1) : printed;
  if (isOpen ? actual.length < shown.length : actual.length !== shown.length) return false;
  return shown.every((item, index) => matchesJson(actual[index], item));
}

type JsonObject = Readonly<Record<string, unknown>>;

function matchesObject(actual: JsonObject, printed: JsonObject): boolean {
  const { [ANYTHING]: further, ...shown } = printed;
  const names = Object.keys(shown);
  if (further === undefined && Object.keys(actual).length !== names.length) return false;
  return names.every((name) => Object.hasOwn(actual, name) && matchesJson(actual[name], shown[name]));
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
