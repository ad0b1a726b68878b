import { isGrouped, type Choice } from "./choice.js";
import { fetchFacet, fetchFrame, type Frame } from "./frame.js";
import { MAX_BARS, type Grouped } from "./grouped.js";
import { rowGroups } from "./row-groups.js";
import { serverGroups } from "./server-groups.js";
import { missingSetting } from "./status.js";

/** What charts of one page are drawn from. Each request is made once. */
export class ChartSource {
  readonly #frames = new Map<string, Promise<Frame>>();
  readonly #groups = new Map<string, Promise<Grouped>>();

  /**
   * @param address of the JSON of the page
   * @param hasGroups true for tables and views, whose rows the database can group
   */
  constructor(
    private readonly address: string,
    private readonly hasGroups: boolean,
  ) {}

  /** The rows of the page, or the values of a facet. */
  frame({ facet = "", x = "" }: Partial<Choice>): Promise<Frame> {
    return remembered(this.#frames, facet === "" ? "" : `${facet}:${x}`, () =>
      facet === "" ? fetchFrame(this.address) : fetchFacet(this.address, x, facet),
    );
  }

  /** The values that the chart computes of rows; null if it draws the rows. */
  async grouped(frame: Frame, choice: Choice): Promise<Grouped | null> {
    if (choice.facet !== "") return facetGroups(frame, choice.x);
    if (!isGrouped(choice) || missingSetting(frame, choice) !== null) return null;
    if (!this.hasGroups) return rowGroups(frame, choice);
    const kind = frame.kinds.get(choice.x) ?? "category";
    return remembered(this.#groups, JSON.stringify(choice), () => serverGroups(this.address, choice, kind));
  }
}

function facetGroups({ rows, total }: Frame, x: string): Grouped {
  const measured = rows.map((row) => ({ x: row[x] ?? null, color: null, value: Number(row["count"]) }));
  return { measured: measured.slice(0, MAX_BARS), step: "each", total, isOfSomeRows: false, splits: null };
}

/** A failed request is not cached, so that the next one can succeed. */
function remembered<Found>(
  cache: Map<string, Promise<Found>>,
  key: string,
  load: () => Promise<Found>,
): Promise<Found> {
  const loading = cache.get(key) ?? load();
  cache.set(key, loading);
  loading.catch(() => cache.delete(key));
  return loading;
}
