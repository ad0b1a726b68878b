import type { SourceFile } from "./source-tree.js";

type Imports = Pick<SourceFile, "path" | "imports">;

/** The sorted paths of files that import each other, types included, and of those between two such groups. */
export function filesInCycles(files: readonly Imports[]): readonly string[] {
  const left = new Map(files.map(({ path, imports }) => [path, imports]));
  for (;;) {
    const imported = new Set([...left.values()].flat());
    const isOutside = (path: string): boolean =>
      !imported.has(path) || !left.get(path)?.some((name) => left.has(name));
    const outside = [...left.keys()].filter(isOutside);
    if (outside.length === 0) return [...left.keys()].toSorted();
    for (const path of outside) left.delete(path);
  }
}
