import { basename } from "node:path";
import { readText } from "../configuration/read-file.js";
import type { Place } from "../arguments/options.js";

/** Excludes first characters with a special meaning in npm (`-` options, `.` paths, `_` reserved). */
const NAME = /^(?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*$/i;
/** Names that npm does not publish, because they have another meaning in a project. */
const RESERVED = new Set(["node_modules", "favicon.ico"]);
/** npm reads a word with such an ending as a path. */
const ARCHIVE = /\.(?:tgz|tar|tar\.gz)$/i;
/** One part of a range: `1.0.0`, `^2`, `>=1.x`, `-`, a comparator before a space, or a tag such as `next`. */
const RANGE_PART = /^(?:-|[~^<>=]{1,2}|[~^<>=]{0,2}[\w*][\w.+*-]*)$/;

/**
 * True for the name of a package, alone or with a version, a range or a tag. False for everything else that npm
 * accepts (paths, URLs, repositories, aliases, options).
 */
function isPackageName(word: string): boolean {
  if (ARCHIVE.test(word)) return false;
  const [, name = "", range] = /^(@?[^@]*)(?:@(.*))?$/s.exec(word) ?? [];
  if (!NAME.test(name) || RESERVED.has(name.toLowerCase())) return false;
  return range === undefined || (range.trim() !== "" && rangeParts(range).every(isRangePart));
}

const rangeParts = (range: string): readonly string[] => range.split(/ +|\|\|/).filter((part) => part !== "");

const isRangePart = (part: string): boolean => RANGE_PART.test(part);

/** npm reads `me/plugin` as a repository on GitHub, even if it is a folder. */
export const isBareRepository = (word: string): boolean =>
  /^[^./~@:-][^:@]*\/[^:]*$/.test(word) && !ARCHIVE.test(word);

/**
 * The package names in a requirements file, one per line. `#` begins a comment.
 *
 * @throws StartupError (exit code 2) naming the first line that is no package name
 */
export function namesInFile(file: string, place: Place): readonly string[] {
  return readText(file)
    .split(/\r?\n/)
    .flatMap((line, index) => {
      const word = line.replace(/#.*$/, "").trim();
      if (word === "") return [];
      if (isPackageName(word)) return [word];
      return place.refuse(
        `${basename(file)}, line ${index + 1}: '${word}' is not a package name, with or without a version (name@1.0.0)`,
      );
    });
}
