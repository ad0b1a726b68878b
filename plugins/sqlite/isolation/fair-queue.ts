/** Items by key, taken from each key in turn: many of one key delay those of another by one at most. */
export class FairQueue<Item> {
  readonly #byKey = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(key: string, item: Item): void {
    const items = this.#byKey.get(key);
    if (items === undefined) this.#byKey.set(key, [item]);
    else items.push(item);
    this.#size += 1;
  }

  /** The next item that may be taken now, or undefined. Its key comes last from then on. */
  shift(mayBeTaken: (item: Item) => boolean): Item | undefined {
    for (const [key, items] of this.#byKey) {
      const at = items.findIndex(mayBeTaken);
      if (at === -1) continue;
      const [item] = items.splice(at, 1);
      this.#size -= 1;
      this.#byKey.delete(key);
      if (items.length > 0) this.#byKey.set(key, items);
      return item;
    }
    return undefined;
  }

  /** Takes an item out of the queue, if it is still in there. */
  remove(key: string, item: Item): void {
    const items = this.#byKey.get(key) ?? [];
    const at = items.indexOf(item);
    if (at === -1) return;
    items.splice(at, 1);
    this.#size -= 1;
    if (items.length === 0) this.#byKey.delete(key);
  }

  count(matches: (item: Item) => boolean): number {
    let count = 0;
    for (const items of this.#byKey.values()) count += items.filter(matches).length;
    return count;
  }
}
