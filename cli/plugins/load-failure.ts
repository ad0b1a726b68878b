import { execFile } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { shownPath } from "../configuration/read-file.js";

/** Why a file of TypeScript can't be imported by an older Node. */
export const NO_TYPESCRIPT = `TypeScript needs Node 22.18 or later, this is ${process.version}`;

/**
 * Why a module could not be imported, in one line: the message, and the file and line if known.
 *
 * @param path the imported module; the error may be in one that it imports
 */
export async function loadFailure(error: unknown, path: string): Promise<string> {
  if (!(error instanceof Error)) return String(error);
  const [line = ""] = error.message.split("\n");
  if (/^Unknown file extension "\.[cm]?ts"/.test(line)) return NO_TYPESCRIPT;
  const first = withoutImporter(line);
  const place = placeInStack(error) ?? (error instanceof SyntaxError ? await syntaxErrorPlace(path) : null);
  if (place === null) return error instanceof SyntaxError ? `${first} (syntax error)` : first;
  return `${first} (${place})`;
}

/**
 * `file:///x/a.mjs:3` alone on the first line (syntax errors), or in a frame `at f (file:///x/a.mjs:3:5)`.
 */
const PLACE = /((?:file:\/\/)?\/[^\s():]+(?::(?!\d)[^\s():]+)*):(\d+)(?::\d+)?\)?$/;

function placeInStack({ message, stack = "" }: Error): string | null {
  // The message itself may contain names of files.
  const lines = stack.replace(message, "").split("\n");
  const frames = lines.filter(
    (line) => /^(?:file:|\/|\s+at )/.test(line) && !line.includes("node:internal/"),
  );
  const [, file, line] = frames.map((frame) => PLACE.exec(frame)).find((found) => found !== null) ?? [];
  if (file === undefined || isOurs(file)) return null;
  return `${shownPath(file.startsWith("file:") ? fileURLToPath(file) : file)}:${line}`;
}

const OURS = ["bundle/", "cli/", "core/", "plugin-api/", "plugins/"].map(
  (part) => new URL(`../../${part}`, import.meta.url).href,
);

/** Without the file of Rowhouse that imports plugins, which readers cannot change. */
const withoutImporter = (message: string): string =>
  message.replace(/ imported from (\/.*)$/, (text, file: string) => (isOurs(`file://${file}`) ? "" : text));

/** A frame of Rowhouse shows which function the plugin called, not the place of the error. */
const isOurs = (file = ""): boolean => OURS.some((folder) => file.startsWith(folder));

/** Enough for a plugin that is not bundled; each takes about 50 ms. */
const MOST_MODULES = 60;

/**
 * Checks a module and the files that it imports in sequence, until one does not compile. Node does not include the
 * place of a syntax error in an ES module in the error object; it only prints it.
 */
async function syntaxErrorPlace(entry: string): Promise<string | null> {
  const queue = [entry];
  for (let next = 0; next < Math.min(queue.length, MOST_MODULES); next++) {
    const path = queue[next] ?? "";
    const line = await failingLine(path);
    if (line !== null) return `${shownPath(path)}:${line}`;
    queue.push(...importedFiles(path).filter((one) => !queue.includes(one)));
  }
  return null;
}

/** The line of the first syntax error; null if the file compiles. */
async function failingLine(path: string): Promise<string | null> {
  const line = await checkedLine([path]);
  const code = line === null && path.endsWith(".js") ? readFileSync(path, "utf8") : "";
  // Outside packages with "type": "module", Node accepts a file with any syntax error if it also has an import or export.
  return MODULE_SYNTAX.test(code) ? checkedLine(["--input-type=module", "-"], code) : line;
}

const MODULE_SYNTAX = /^\s*(?:import|export)\b/m;

const checkedLine = (words: readonly string[], input = ""): Promise<string | null> =>
  new Promise((done) => {
    const child = execFile(process.execPath, ["--check", ...words], (error, _stdout, stderr) =>
      done(error === null ? null : (/^\S.*:(\d+)$/m.exec(stderr)?.[1] ?? null)),
    );
    // A process that has ended does not read.
    child.stdin?.on("error", () => undefined).end(input);
  });

const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)["'](\.{1,2}\/[^"']+)["']/g;

function importedFiles(path: string): readonly string[] {
  const names = [...readFileSync(path, "utf8").matchAll(IMPORT)].map(([, name = ""]) => name);
  return names
    .flatMap((name) =>
      ["", ".js", ".cjs", "/index.js"].map((ending) => resolve(dirname(path), name + ending)),
    )
    .filter((one) => /\.[cm]?js$/.test(one) && existsSync(one) && statSync(one).isFile());
}
