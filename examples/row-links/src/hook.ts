import type { Actor, Collect, Request } from "rowhouse/plugin-api";

export interface RowLink {
  /** An address on the web; others than `https:` and `http:` are left out. */
  readonly href: string;
  readonly label: string;
}

/** What plugins are asked: one row, as this visitor sees it. */
export interface RowLinksQuestion {
  readonly database: string;
  readonly table: string;
  readonly row: Readonly<Record<string, unknown>>;
  readonly request: Request;
  readonly actor: Actor | null;
}

// Makes `row_links` a hook like any other, typed, for whoever imports this package.
declare module "rowhouse/plugin-api" {
  interface HookTable {
    /** Links for the page of a row. */
    row_links: Collect<RowLinksQuestion, RowLink>;
  }
}
