import type { Page } from "rowhouse/plugin-api";

type Context = NonNullable<Page["context"]>;

/** A page whose context is made for pages alone, when it is first asked for: whoever asks for JSON does not wait for it. */
export class TablePage implements Page {
  readonly name: string;
  readonly data: Page["data"];
  readonly rows?: NonNullable<Page["rows"]>;
  readonly #makeContext: () => Context;
  #context: Context | undefined;

  constructor({ name, data, rows }: Pick<Page, "name" | "data" | "rows">, makeContext: () => Context) {
    this.name = name;
    this.data = data;
    if (rows !== undefined) this.rows = rows;
    this.#makeContext = makeContext;
  }

  get context(): Context {
    return (this.#context ??= this.#makeContext());
  }
}
