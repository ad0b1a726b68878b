import { chmod, cp, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { messageOf, StartupError } from "rowhouse/plugin-api";
import type { SiteOptions } from "./read-options.js";

/** The files of a bundle. */
interface Contents {
  readonly generated: Readonly<Record<string, string>>;
  readonly copies: readonly Copy[];
}

/** Writes a bundle into a folder. @throws StartupError if the folder is not empty or cannot be written */
export async function writeBundle(folder: string, { generated, copies }: Contents): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    if ((await readdir(folder)).length > 0) throw new StartupError(`${folder} has something in it already`);
    for (const { from, to } of copies) await copy(from, join(folder, to));
    for (const [path, text] of Object.entries(generated)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    for (const name of await readdir(folder)) await letRead(join(folder, name));
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`Could not write ${folder}: ${messageOf(error)}`);
  }
}

async function copy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  // Copies the targets of links, which do not exist in the bundle.
  await cp(from, to, { recursive: true, dereference: true, filter: (path) => basename(path) !== ".git" });
}

/** Makes files readable for the user of the server in the image. */
async function letRead(path: string): Promise<void> {
  const found = await stat(path);
  await chmod(path, found.mode | (found.isDirectory() ? 0o755 : 0o444));
  if (!found.isDirectory()) return;
  for (const name of await readdir(path)) await letRead(join(path, name));
}

/** A file or folder that is copied into the bundle. */
export interface Copy {
  readonly from: string;
  readonly to: string;
}

/** The folder of a mount in the bundle. Its name is independent of the mount, which may contain any characters. */
export const staticFolder = (index: number): string => `static/${index + 1}`;

/** Everything that is copied. */
export const copiesOf = ({
  databases,
  templates,
  plugins,
  statics,
  packages,
}: SiteOptions): readonly Copy[] => [
  ...databases.map(({ path, to }) => ({ from: path, to })),
  ...(templates === null ? [] : [{ from: templates, to: "templates" }]),
  ...(plugins === null ? [] : [{ from: plugins, to: "plugins" }]),
  ...statics.map(({ path }, index) => ({ from: path, to: staticFolder(index) })),
  ...packages.flatMap(({ file, range }) =>
    file === null ? [] : [{ from: file, to: range.slice("file:".length) }],
  ),
];
