/** Fills one block; `parent()` is what the template further down would have put there. */
export type Fill = (parent: () => string) => string;

/**
 * The named blocks of one page. Templates are rendered from the most specific to the base layout, so the first
 * definition of a name is the one that shows; the later ones are what it finds under `parent()`.
 * A block of a template that has a layout is only remembered; a block of the base, or inside another
 * block, is put out where it stands.
 */
export class Blocks {
  readonly #fills = new Map<string, Fill[]>();
  #filling = 0;

  /** Remembers a definition; returns the markup to put out here, `""` when it is only remembered. */
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
