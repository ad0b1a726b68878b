import { defineHooks, hook, type Actor, type Request } from "rowhouse/plugin-api";
import type { HooksOf } from "rowhouse/plugin-api/kernel";

export interface RowLink {
  /** A web address. Schemes other than `https:` and `http:` are left out. */
  readonly href: string;
  readonly label: string;
}

/** The arguments of the hook: one row, as the actor may read it. */
export interface RowLinksQuestion {
  readonly database: string;
  readonly table: string;
  readonly row: Readonly<Record<string, unknown>>;
  readonly request: Request;
  readonly actor: Actor | null;
}

export const rowLinkHooks = defineHooks({
  /** Links for the page of a row. */
  row_links: hook.collect<RowLinksQuestion, RowLink>({
    affects: "html",
    expects: { what: "a link with href and label", is: isLink },
    // A page without the links of a plugin that failed is still complete.
    failing: "skip",
  }),
});

// Callers and plugins that tap `row_links` are type-checked if they import this package.
declare module "rowhouse/plugin-api" {
  interface HookTable extends HooksOf<typeof rowLinkHooks> {}
}

function isLink(answer: unknown): boolean {
  const { href, label } = Object(answer) as Readonly<Record<string, unknown>>;
  return typeof href === "string" && typeof label === "string";
}
