import { cssClass } from "rowhouse/plugin-api";

/** Names that are used once each: a name that is taken gets `_2`, `_3`, … */
export class UniqueNames {
  readonly #taken = new Set<string>();

  take(wanted: string): string {
    let name = wanted;
    for (let count = 2; this.#taken.has(name); count++) name = `${wanted}_${count}`;
    this.#taken.add(name);
    return name;
  }
}

/** What is left of names for identifiers of programs: `library_books`. */
export const identifier = (...names: readonly string[]): string =>
  names.map((name) => cssClass(name).replaceAll("-", "_")).join("_");
