/** Renders one block. `parent()` is the content that the next template in the list has for it. */
export type Fill = (parent: () => string) => string;

/**
 * The named blocks of one page. Templates are rendered from the most specific to the base layout, so the first
 * definition of a name is shown, and `parent()` inserts the next one. A block of a template that has a layout is only
 * stored; a block of the base, or inside another block, is printed at its place.
 */
export class Blocks {
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
