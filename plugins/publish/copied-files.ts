import type { Wishes } from "./read-options.js";

/** A file or folder that is copied into the bundle. */
export interface Copy {
  readonly from: string;
  readonly to: string;
}

/** Where in the bundle the files of a mount are: mounts may be called anything. */
export const staticFolder = (index: number): string => `static/${index + 1}`;

/** Everything that is copied. */
export const copiesOf = ({ databases, templates, plugins, statics, packages }: Wishes): readonly Copy[] => [
  ...databases.map(({ path, to }) => ({ from: path, to })),
  ...(templates === null ? [] : [{ from: templates, to: "templates" }]),
  ...(plugins === null ? [] : [{ from: plugins, to: "plugins" }]),
  ...statics.map(({ path }, index) => ({ from: path, to: staticFolder(index) })),
  ...packages.flatMap(({ file, range }) =>
    file === null ? [] : [{ from: file, to: range.slice("file:".length) }],
  ),
];
