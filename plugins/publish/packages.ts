import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, resolve } from "node:path";
import { refuseValue } from "./options.js";

/** A package that the site depends on. */
export interface PackageWish {
  readonly name: string;
  /** As `dependencies` has it: a version, a tag, an address, or a file of the bundle. */
  readonly range: string;
  /** The packed package that is to be in the bundle; null for one that npm fetches. */
  readonly file: string | null;
}

const WISH = /^((?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*)(?:@(.+))?$/i;

/** @throws StartupError (usage) for what has no name, and for a packed package that is not there */
export const readPackages = (written: readonly string[]): readonly PackageWish[] => written.map(readPackage);

function readPackage(wish: string): PackageWish {
  const [, name, range = "latest"] = WISH.exec(wish) ?? [];
  if (name === undefined)
    return refuseValue("'--install'", `${wish} should be NAME, NAME@VERSION or NAME@file:PACKAGE.tgz`);
  if (!range.startsWith("file:")) return { name, range, file: null };
  const file = resolve(range.slice("file:".length));
  // A folder would need its own packages installed; one that was packed is as it will be published.
  if (!/\.(tgz|tar\.gz)$/.test(file) || !existsSync(file))
    return refuseValue("'--install'", `${range} is not a package made by npm pack`);
  return { name, range: `file:packages/${basename(file)}`, file };
}

/**
 * Where npm gets a branch of Rowhouse: an address stays as it is, a bare name is one of the repository that this
 * Rowhouse comes from.
 *
 * @throws StartupError (usage) for a bare name where no repository is known
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
