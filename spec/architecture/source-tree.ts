import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the package; this runs from inside `dist`. */
export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

const FOLDERS = ["plugin-api", "core", "plugins", "cli", "spec", "bench", "demo", "build"];

/** One file of ours. */
export interface SourceFile {
  /** From the package's folder, with `/`. */
  readonly path: string;
  readonly text: string;
  /** Text without comments and the contents of strings. */
  readonly code: string;
  readonly lines: number;
  /** What it imports: package names, `node:` names and, for relative ones, paths from the package's folder. */
  readonly imports: readonly string[];
}

/** Every TypeScript file of the tree. */
export const readTree = (): readonly SourceFile[] => FOLDERS.flatMap(filesUnder).map(readSource);

/** Names of the folders directly under `path`; empty when there is no such folder. */
export const foldersIn = (path: string): readonly string[] =>
  existsSync(join(ROOT, path))
    ? readdirSync(join(ROOT, path), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
    : [];

function filesUnder(folder: string): string[] {
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => posix.join(folder, path.replaceAll("\\", "/")));
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(ROOT, path), "utf8");
  const lines = text.split("\n").length - 1;
  return { path, text, code: codeOf(text), lines, imports: importsOf(path, text) };
}

const COMMENT_OR_STRING =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`/g;

const codeOf = (text: string): string =>
  text.replace(COMMENT_OR_STRING, (found) => (found.startsWith("/") ? " " : '""'));

/** What a module imports, in one of three groups. */
export const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s[^"';]*?from\s*"([^"]+)"|(?:^|\n)import\s*"([^"]+)"|\bimport\(\s*"([^"]+)"/g;

function importsOf(path: string, text: string): string[] {
  const withoutComments = text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\n)\s*\/\/[^\n]*/g, "");
  return [...withoutComments.matchAll(IMPORT)]
    .map(([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? "")
    .map((name) =>
      name.startsWith(".") ? posix.join(posix.dirname(path), name.replace(/\.js$/, ".ts")) : name,
    );
}

/** The package that a bare import names: `a` for `a/b`, `@a/b` for `@a/b/c`. */
export const packageOf = (name: string): string =>
  name
    .split("/")
    .slice(0, name.startsWith("@") ? 2 : 1)
    .join("/");
