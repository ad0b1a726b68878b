/** Numbers that follow from a seed, so that a run can be had again. */
export interface Random {
  /** From 0 up to, not including, 1. */
  fraction(): number;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  /** One of the items. @throws Error when there are none */
  pick<Item>(items: readonly Item[]): Item;
}

/** The generator "mulberry32". */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number): number =>
    least + Math.floor(fraction() * (most - least + 1));
  return {
    fraction,
    between,
    pick: (items) => {
      const item = items[between(0, items.length - 1)];
      if (item === undefined) throw new Error("There is nothing to pick from");
      return item;
    },
  };
}
