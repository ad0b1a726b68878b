import { queryString } from "./paths.js";
import type { Pair } from "./paths.js";

/** The links of one kind on one page may have so many characters together. */
const MOST_LINK_CHARACTERS = 2_000_000;

/**
 * Links to one page that repeat its arguments and change one of them. The number of such links times the length of
 * the query string is limited: links beyond the limit are null and are shown as text.
 */
export class QueryLinks {
  readonly #path: string;
  readonly #pairs: readonly Pair[];
  readonly #names: ReadonlySet<string>;
  /** The arguments that all links repeat are encoded once. */
  readonly #query: string;
  #left: number;
  #omitted = 0;

  /** @param path without a query string, with scheme and host where the links shall have them */
  constructor(path: string, pairs: Iterable<Pair>, limit = MOST_LINK_CHARACTERS) {
    this.#path = path;
    this.#pairs = [...pairs];
    this.#names = new Set(this.#pairs.map(idOf));
    this.#query = queryString(this.#pairs);
    this.#left = limit;
  }

  /** How many links were null because of the limit. */
  get omitted(): number {
    return this.#omitted;
  }

  has(argument: Pair): boolean {
    return this.#names.has(idOf(argument));
  }

  /** The page with one argument more, at the end. */
  with(argument: Pair): string | null {
    return this.#limited(() => {
      const added = queryString([argument]);
      return this.#link(this.#query === "" ? added : `${this.#query}&${added}`);
    });
  }

  /** The page without these arguments. */
  without(unwanted: readonly Pair[]): string | null {
    const ids = new Set(unwanted.map(idOf));
    return this.#limited(() => this.#link(queryString(this.#pairs.filter((pair) => !ids.has(idOf(pair))))));
  }

  #link = (query: string): string => (query === "" ? this.#path : `${this.#path}?${query}`);

  /** A link is about as long as the page's own address: it is not built where that does not fit any more. */
  #limited(build: () => string): string | null {
    if (this.#path.length + this.#query.length > this.#left) {
      this.#omitted += 1;
      return null;
    }
    const link = build();
    this.#left -= link.length;
    return link;
  }
}

const idOf = ([name, value]: Pair): string => `${name}\0${value}`;
