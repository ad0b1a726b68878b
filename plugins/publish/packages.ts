import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, resolve } from "node:path";
import { refuseValue } from "./options.js";

/** A package that the site depends on. */
export interface PackageSource {
  readonly name: string;
  /** The value in `dependencies`: a version, a tag, a URL, or a file of the bundle. */
  readonly range: string;
  /** The packed package that is copied into the bundle; null for one that npm fetches. */
  readonly file: string | null;
}

const PACKAGE = /^((?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*)(?:@(.+))?$/i;

/** @throws StartupError (exit code 2) for a missing name, and for a packed package that does not exist */
export const readPackages = (written: readonly string[]): readonly PackageSource[] =>
  written.map(readPackage);

function readPackage(written: string): PackageSource {
  const [, name, range = "latest"] = PACKAGE.exec(written) ?? [];
  if (name === undefined)
    return refuseValue("'--install'", `${written} should be NAME, NAME@VERSION or NAME@file:PACKAGE.tgz`);
  if (!range.startsWith("file:")) return { name, range, file: null };
  const file = resolve(range.slice("file:".length));
  // Only packed packages: a folder would need its dependencies installed.
  if (!/\.(tgz|tar\.gz)$/.test(file) || !existsSync(file))
    return refuseValue("'--install'", `${range} is not a package made by npm pack`);
  return { name, range: `file:packages/${basename(file)}`, file };
}

/**
 * The source of Rowhouse for npm. URLs are unchanged; a name is a branch of the repository in `package.json`.
 *
 * @throws StartupError (exit code 2) for a name if `package.json` has no repository
 */
export function rowhouseSource(branch: string | null): string | null {
  if (branch === null || branch.includes(":")) return branch;
  const manifest = createRequire(import.meta.url)("rowhouse/package.json") as {
    readonly repository?: string | { readonly url: string };
  };
  const { repository } = manifest;
  const address = typeof repository === "object" ? repository.url : repository;
  if (address !== undefined) return `${address}#${branch}`;
  return refuseValue(
    "'--branch'",
    `this Rowhouse does not say where its repository is; give the address, as github:OWNER/rowhouse#${branch}`,
  );
}
