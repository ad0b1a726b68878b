import type { Page } from "./route.js";

type Context = NonNullable<Page["context"]>;

/**
 * A page that computes its context when it is first used, because the JSON document does without.
 *
 * @example
 * new LazyPage({ name: "row", data: {} }, () => ({ columns: ["id"] })).context; // { columns: ["id"] }
 */
export class LazyPage implements Page {
  readonly name: string;
  readonly data: Page["data"];
  readonly status?: number;
  readonly rows?: NonNullable<Page["rows"]>;
  readonly stream?: NonNullable<Page["stream"]>;
  readonly headers?: NonNullable<Page["headers"]>;
  readonly #makeContext: () => Context;
  #context: Context | undefined;

  constructor(
    { name, data, status, rows, stream, headers }: Omit<Page, "context" | "plain">,
    makeContext: () => Context,
  ) {
    this.name = name;
    this.data = data;
    if (status !== undefined) this.status = status;
    if (rows !== undefined) this.rows = rows;
    if (stream !== undefined) this.stream = stream;
    if (headers !== undefined) this.headers = headers;
    this.#makeContext = makeContext;
  }

  get context(): Context {
    return (this.#context ??= this.#makeContext());
  }
}
