import type { Actor, Database, Request, RouteFor, Rowhouse, Table, Visit } from "rowhouse/plugin-api";
import { shortText } from "rowhouse/plugin-api/html";
import type { JumpItem } from "rowhouse/plugin-api/contracts";
import { addressText, isAddressable } from "rowhouse/plugin-api/engine";
import { makeRequest, nothingWanted, rowPath, TimeSlices } from "rowhouse/plugin-api/http";
import { matchingRows, type MatchingRows } from "./rows.js";
import { typedText } from "./typed-text.js";

/** Shorter texts match too many rows. */
const FEWEST_CHARACTERS = 3;
const ROWS_OF_A_TABLE = 3;
const MOST_TABLES = 12;
/** No further table is searched after this time. */
const BUDGET_MS = 300;
/** A table that was too slow is not searched again for this time. */
const SLOW_FOR_MS = 60_000;

interface Asking {
  readonly request: Request;
  readonly actor: Actor | null;
  readonly query: string;
}

/** Rows whose label has the typed text, of the tables that the actor may view; those with a full-text index first. */
export class RowPlaces {
  readonly #slowUntil = new WeakMap<Table, number>();

  constructor(
    private readonly rowhouse: Rowhouse,
    private readonly route: RouteFor<"table">,
  ) {}

  async of({ request, actor, query }: Asking): Promise<readonly JumpItem[]> {
    const text = typedText(query);
    if (text.length < FEWEST_CHARACTERS) return [];
    const deadline = performance.now() + BUDGET_MS;
    const found: JumpItem[] = [];
    for (const [database, table] of await this.#searched({ request, actor })) {
      if (performance.now() > deadline || request.signal.aborted) break;
      const visit = await this.#visit(database, table, { request, actor });
      const matches = await matchingRows({ visit, text, size: ROWS_OF_A_TABLE });
      if (!matches.isComplete) this.#slowUntil.set(table, performance.now() + SLOW_FOR_MS);
      found.push(...this.#items(database, table, matches));
    }
    return found;
  }

  async #searched({
    request,
    actor,
  }: Omit<Asking, "query">): Promise<readonly (readonly [Database, Table])[]> {
    const listings = (await this.rowhouse.serviceIfAny("browse")?.listings(actor)) ?? [];
    const tables = this.rowhouse.service("tables");
    const slices = new TimeSlices(request);
    const found: (readonly [Database, Table])[] = [];
    for (const { database, tables: listed } of listings) {
      for (const { table } of listed) {
        if (slices.isOver) await slices.next();
        if (table.kind !== "table" || tables.labelColumn(database.name, table) === null) continue;
        if ((this.#slowUntil.get(table) ?? 0) < performance.now()) found.push([database, table]);
      }
    }
    return found
      .toSorted(([, left], [, right]) => Number(right.fullText !== null) - Number(left.fullText !== null))
      .slice(0, MOST_TABLES);
  }

  /** A visit of the table for this actor, by the same permission checks as a request, without filters. */
  async #visit(
    { name: database }: Database,
    { name: resource }: Table,
    { request, actor }: Pick<Asking, "request" | "actor">,
  ): Promise<Visit<"table">> {
    const { rowhouse, route } = this;
    const names = { database, resource };
    const path = `${rowhouse.urls.table(database, resource)}/-/autocomplete`;
    return {
      rowhouse,
      actor,
      route,
      names,
      target: await rowhouse.authorizedTarget(route, names, actor),
      request: makeRequest(rowhouse, {
        method: "GET",
        target: path,
        headers: { host: "localhost" },
        encrypted: false,
        remoteAddress: request.remoteAddress,
        signal: () => request.signal,
        body: noBody(),
      }),
      params: {},
      private: false,
      format: "json",
      wants: nothingWanted,
      basePath: path,
    };
  }

  #items({ name: database }: Database, { name: table }: Table, { rows }: MatchingRows): readonly JumpItem[] {
    return rows.flatMap(({ key, label }) => {
      if (label === null || label instanceof Uint8Array) return [];
      if (!key.every(isAddressable)) return [];
      const path = rowPath(key.map((part) => addressText(part)));
      if (path === "") return [];
      return {
        kind: "row",
        label: shortText(String(label), LONGEST_LABEL),
        detail: `${database}/${table}`,
        href: this.rowhouse.urls.row(database, table, path),
        found: true as const,
      };
    });
  }
}

const LONGEST_LABEL = 80;

async function* noBody(): AsyncIterable<Uint8Array> {}
