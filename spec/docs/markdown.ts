/** A fenced block of a Markdown page. */
export interface Fence {
  /** First word of its info string: `console`, `json`, `yaml`. */
  readonly language: string;
  /** The path in `title=path`: the reader puts the block into this file. */
  readonly title: string | null;
  /** Marked as not to be run. */
  readonly skipped: boolean;
  readonly text: string;
  /** Of the line that opens it, from 1. */
  readonly line: number;
}

/** The fenced blocks of a page, in order. */
export function fencesOf(markdown: string): readonly Fence[] {
  const lines = markdown.split("\n");
  const fences: Fence[] = [];
  for (let start = 0; start < lines.length; start += 1) {
    const [, indent, marks, info] = /^( *)(`{3,})(.*)$/.exec(lines[start] ?? "") ?? [];
    if (marks === undefined) continue;
    const end = lines.findIndex((line, index) => index > start && line.trim() === marks);
    const body = lines.slice(start + 1, end).map((line) => line.slice(indent?.length ?? 0));
    fences.push(fence(info ?? "", body.join("\n"), start + 1));
    start = end;
  }
  return fences;
}

function fence(info: string, text: string, line: number): Fence {
  const [language = "", ...words] = info.trim().split(/\s+/);
  const title = words.find((word) => word.startsWith("title="))?.slice("title=".length) ?? null;
  return { language, title, skipped: words.includes("no-run"), text, line };
}
