import type { Page, Visit } from "rowhouse/plugin-api";
import type { RowLayout } from "./display-rows.js";
import type { SiteOptions } from "./site.js";

/** The data of one page for its template. */
export interface PageModel {
  /** Most specific first. */
  readonly templates: readonly string[];
  readonly context: Readonly<Record<string, unknown>>;
  readonly options: Partial<SiteOptions>;
  /** The rows, if the page has rows. */
  readonly rows?: RowLayout;
  readonly lists?: readonly LongList[];
}

/**
 * A list of a page that may be long. Each item is rendered on its own, so that other requests are answered in between;
 * a template is rendered in one piece.
 */
export interface LongList {
  /** Where the template of the page finds the markup of all items. */
  readonly name: string;
  /** The template of one item, which is its context. */
  readonly template: string;
  /** Made one by one, while the list is written in slices. */
  readonly items: Iterable<object>;
}

export type PageBuilder = (page: Page, visit: Visit) => PageModel | Promise<PageModel>;
