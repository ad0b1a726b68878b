import { readFileSync, statSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Eta, type EtaConfig } from "eta";
import { Html, messageOf } from "rowhouse/plugin-api";
import { escapeHtml } from "rowhouse/plugin-api/html";
import { boundedCache } from "rowhouse/plugin-api/kernel";

const BUNDLED_PREFIX = "default:";

// Adds `block(name, (parent) => { %>...<% })` to templates, built on `capture` and `output` of Eta.
const BLOCK_FUNCTION =
  "const block = (name, fill) => output(it.$blocks.block(name, " +
  '(parent) => (fill ? capture(() => fill(parent)) : ""), __eta.layout !== undefined));';

/** The folders of templates, in the order of the search. */
export interface TemplateFolders {
  /** The folder of `--template-dir`. */
  readonly own: string | null;
  readonly plugins: readonly URL[];
  readonly bundled: URL;
  /** True to read files again for each page, for authors of templates. */
  readonly fresh: boolean;
}

/** Finds templates by name in the folders and renders them. `<%= %>` escapes everything. */
export class Templates {
  readonly #eta: TemplateEngine;

  constructor(folders: TemplateFolders) {
    this.#eta = new TemplateEngine(folders);
  }

  /** The first of these names that exists, or null. The prefix `default:` means the bundled template. */
  choose(names: readonly string[]): string | null {
    return names.find((name) => this.#eta.find(name) !== null) ?? null;
  }

  /**
   * @param context an object of its own for each call: the blocks are added to it
   * @throws Error that names template, line and cause
   */
  render(name: string, context: Record<string, unknown>): string {
    context["$blocks"] = new Blocks();
    return this.#eta.render(name, context);
  }
}

/** The first line of a template of Datasette that extends another one. */
const JINJA = /^\s*\{%-?\s*extends\b/;

/** A page has some names of its own. */
const PATHS_BYTES = 1_000_000;

class TemplateEngine extends Eta {
  /** The path of each name; empty for a name without a file. */
  readonly #paths = boundedCache<string>("template-paths", PATHS_BYTES, (path) => path.length);
  readonly #own: readonly string[];
  readonly #bundled: string;
  readonly #fresh: boolean;

  constructor(folders: TemplateFolders) {
    super(engineConfig(folders.fresh));
    const { compile } = this;
    this.compile = (text, options) =>
      compiled(text, options?.filepath ?? "", () => compile.call(this, text, options));
    this.#fresh = folders.fresh;
    this.#bundled = fileURLToPath(folders.bundled);
    const plugins = folders.plugins.map((url) => fileURLToPath(url));
    this.#own = [...(folders.own === null ? [] : [folders.own]), ...plugins];
  }

  override resolvePath = (name: string): string => {
    const path = this.find(name);
    if (path === null) throw new Error(`Template not found: ${name}`);
    return path;
  };

  override readFile = (path: string): string => readFileSync(path, "utf8");

  /** The file of a template; null if there is none. Names cannot leave their folder. */
  find(name: string): string | null {
    const known = this.#fresh ? undefined : this.#paths.get(name);
    if (known !== undefined) return known === "" ? null : known;
    const found = this.#look(name);
    this.#paths.set(name, found ?? "");
    return found;
  }

  #look(name: string): string | null {
    const wantsBundled = name.startsWith(BUNDLED_PREFIX);
    const file = wantsBundled ? name.slice(BUNDLED_PREFIX.length) : name;
    const folders = wantsBundled ? [this.#bundled] : [...this.#own, this.#bundled];
    return folders.map((folder) => fileInside(folder, file)).find((path) => path !== null) ?? null;
  }
}

const engineConfig = (fresh: boolean): Partial<EtaConfig> => ({
  autoEscape: true,
  autoTrim: [false, "nl"],
  cache: !fresh,
  cacheFilepaths: false,
  debug: true,
  escapeFunction: printed,
  functionHeader: BLOCK_FUNCTION,
  plugins: [{ processFnString: adaptedCode }],
});

/** @throws Error with the file. Errors of Eta have all code of the template instead. */
function compiled<Result>(text: string, file: string, compile: () => Result): Result {
  if (JINJA.test(text))
    throw new Error(`${file} is written in Jinja. Write it in Eta: docs/porting-from-datasette.md`);
  let lines: readonly string[];
  try {
    return compile();
  } catch (error) {
    lines = messageOf(error).split("\n");
  }
  const [mistake = "", , detail = ""] = lines;
  throw new Error(`${file}: ${mistake.replace(/:$/, "")}: ${detail.trim()}`);
}

/** The compiled code of a template, in which we replace parts of Eta. */
const adaptedCode = (code: string): string =>
  code
    // This function supports only one level of inheritance. `BLOCK_FUNCTION` replaces it.
    .replace("function block(", "function etaBlock(")
    // A page includes 20 templates, and its context has 80 values: they are copied only if values are added.
    .replace("{...it, ...(__eta_d ?? {})}", "__eta_d === undefined ? it : {...it, ...__eta_d}")
    .replace("{...it, body: __eta.res,", "{body: __eta.res,");

/** The output of `<%= value %>`: text escaped, `Html` unchanged, nothing for null and undefined. */
function printed(value: unknown): string {
  if (value instanceof Html) return value.markup;
  if (value === null || value === undefined) return "";
  return escapeHtml(String(value));
}

function fileInside(folder: string, name: string): string | null {
  const path = join(folder, name);
  const inside = relative(folder, path);
  if (inside === "" || inside.startsWith("..") || isAbsolute(inside) || name.includes("\0")) return null;
  return isFile(path) ? path : null;
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    // A name that no file can have, because tables may have any name.
    return false;
  }
}

/** Renders one block. `parent()` is the content that the next template in the list has for it. */
export type Fill = (parent: () => string) => string;

/**
 * The named blocks of one page. Templates are rendered from the most specific to the base layout, so the first
 * definition of a name is shown, and `parent()` inserts the next one. A block of a template that has a layout is only
 * stored; a block of the base, or inside another block, is printed at its place.
 */
class Blocks {
  readonly #fills = new Map<string, Fill[]>();
  #filling = 0;

  /** Stores a definition. Returns the markup to print at this place, `""` for none. */
  block(name: string, fill: Fill, hasLayout: boolean): string {
    const fills = this.#fills.get(name) ?? [];
    this.#fills.set(name, fills);
    fills.push(fill);
    return hasLayout && this.#filling === 0 ? "" : this.#show(fills, 0);
  }

  #show(fills: readonly Fill[], index: number): string {
    const fill = fills[index];
    if (fill === undefined) return "";
    this.#filling += 1;
    try {
      return fill(() => this.#show(fills, index + 1));
    } finally {
      this.#filling -= 1;
    }
  }
}
