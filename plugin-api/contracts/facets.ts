import { defineSettings, type SettingsOf } from "../kernel/settings.js";
import type { Nothing } from "../kernel/hooks.js";
import { defineHooks, hook, type HooksOf } from "../kernel/define-hooks.js";
import { objectWith } from "../kernel/hook-results.js";
import type { Selection } from "./selection.js";
import type { Page, Visit } from "../http/route.js";
import type { SqlValue } from "../engine/values.js";

/** One value of a facet, with the number of rows that have it. */
export interface FacetValue {
  readonly value: SqlValue;
  readonly label: SqlValue;
  readonly count: number;
  /** The query argument that selects it: `["maker_id", "1"]`. */
  readonly argument: readonly [name: string, value: string];
}

/** The facet of a table page that is computed. */
export interface FacetQuestion {
  readonly visit: Visit<"table">;
  readonly selection: Selection;
  readonly column: string;
  /** The number of values that are shown. */
  readonly size: number;
  readonly timeLimitMs: number;
}

/** The table page for which facets are suggested. */
export interface SuggestionQuestion {
  readonly visit: Visit<"table">;
  readonly selection: Selection;
  /** Rows that match; null when they could not be counted in time. */
  readonly count: number | null;
  readonly size: number;
  /** Milliseconds for each statement. */
  readonly timeLimitMs: number;
}

/** A kind of facet: `column`, `date`, `array`, or one of a plugin. */
export interface FacetClass {
  /** Requested by `_facet_<type>`; `column` by plain `_facet`. */
  readonly type: string;
  /**
   * Up to `size + 1` values, most frequent first.
   *
   * @throws QueryInterrupted at the time limit; the facet is left out then
   */
  values(question: FacetQuestion): Promise<readonly FacetValue[]>;
  /** The columns for which a facet of this kind is useful. A result that took long is kept although the data changes. */
  suggest(question: SuggestionQuestion): Promise<readonly string[]>;
}

/**
 * The facets in `facet_results` of a page, in order. It is a map, because objects list names like `2020` first; a plugin
 * may replace it by an object.
 */
export function facetResultsOf({ data }: Page): readonly unknown[] {
  const results = data["facet_results"];
  return results instanceof Map ? [...results.values()] : Object.values(results ?? {});
}

/** The hooks of the plugin that owns this contract. */
export const facetHooks = defineHooks({
  /** At start, and before the first table page: kinds of facets. One that fails is left out, and the log names its plugin. */
  register_facet_classes: hook.collect<Nothing, FacetClass>({
    failing: "skip",
    expects: objectWith("a kind of facet with type, values and suggest", {
      type: "string",
      values: "function",
      suggest: "function",
    }),
  }),
});

declare module "../kernel/hooks.js" {
  interface HookTable extends HooksOf<typeof facetHooks> {}
}

/** The settings of the plugin facets. */
export const facetsSettings = defineSettings({
  default_facet_size: { default: 30, help: "Number of values to return for requested facets" },
  facet_time_limit_ms: { default: 200, help: "Time limit for calculating a requested facet" },
  facet_suggest_time_limit_ms: { default: 50, help: "Time limit for calculating a suggested facet" },
  allow_facet: { default: true, help: "Allow users to specify columns to facet using ?_facet= parameter" },
  suggest_facets: { default: true, help: "Calculate and display suggested facets" },
});

declare module "../kernel/rowhouse.js" {
  interface Settings extends SettingsOf<typeof facetsSettings> {}
}
