import { queryString } from "./paths.js";
import type { Pair } from "./query-bytes.js";

/** The limit of the total length of the links of one kind on one page, in characters. */
const MOST_LINK_CHARACTERS = 1_000_000;
/** Servers refuse longer addresses. */
const LONGEST_VALUE = 65_536;

/**
 * Links to one page that repeat its arguments and change one of them. The number of such links times the length of
 * the query string is limited: links beyond the limit are null and are shown as text.
 *
 * @example
 * const links = new QueryLinks("/library/books", [["_facet", "author"]]);
 * links.with(["author", "Emma"]); // "/library/books?_facet=author&author=Emma"
 * links.without([["_facet", "author"]]); // "/library/books"
 */
export class QueryLinks {
  readonly #path: string;
  readonly #pairs: readonly Pair[];
  readonly #names: ReadonlySet<string>;
  /** The encoded arguments that all links repeat. */
  readonly #query: string;
  #left = MOST_LINK_CHARACTERS;
  #omitted = 0;

  /** @param path without a query string; with scheme and host for absolute links */
  constructor(path: string, pairs: Iterable<Pair>) {
    this.#path = path;
    this.#pairs = [...pairs];
    this.#names = new Set(this.#pairs.map(idOf));
    this.#query = queryString(this.#pairs);
  }

  /** The number of links that were null because of the limit. */
  get omitted(): number {
    return this.#omitted;
  }

  /** True if the page has this argument. */
  has(argument: Pair): boolean {
    return this.#names.has(idOf(argument));
  }

  /** The link with more arguments at the end; null beyond the limit, and for a value that is too long for an address. */
  with(...added: readonly Pair[]): string | null {
    if (added.some(([, value]) => value.length > LONGEST_VALUE)) return null;
    return this.#limited(() =>
      this.#link([this.#query, queryString(added)].filter((part) => part !== "").join("&")),
    );
  }

  /** The link without these arguments; null beyond the limit. */
  without(unwanted: readonly Pair[]): string | null {
    const ids = new Set(unwanted.map(idOf));
    return this.#limited(() => this.#link(queryString(this.#pairs.filter((pair) => !ids.has(idOf(pair))))));
  }

  #link = (query: string): string => (query === "" ? this.#path : `${this.#path}?${query}`);

  /** A link is about as long as the URL of the page: it is not built if that exceeds the rest of the limit. */
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
