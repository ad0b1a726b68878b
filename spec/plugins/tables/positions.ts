import { expect } from "chai";
import type { TestRowhouse } from "../../harness/index.js";

/** The pages of a table as HTML, and what each of them should say: `1 to 2 of 5`. */
export type Positions = readonly (readonly [path: string, position: string])[];

/** @param path the table, and its arguments: `/library/books?_size=2` */
export async function positionsOf(rowhouse: TestRowhouse, path: string): Promise<Positions> {
  const [table, search = ""] = path.split("?");
  const pages: (readonly [string, number])[] = [];
  for (let query: string | null = search; query !== null;) {
    const { status, json, text } = await rowhouse.get(`${table}.json?${query}`);
    expect(status, text).to.equal(200);
    pages.push([`${table}?${query}`, json.rows.length]);
    query = json.next_url === null ? null : new URL(String(json.next_url)).search.slice(1);
    expect(pages.length, "the pages end").to.be.lessThan(50);
  }
  const total = pages.reduce((sum, [, rows]) => sum + rows, 0);
  let before = 0;
  return pages.map(([page, rows]) => {
    const position = `${before + 1} to ${before + rows} of ${total}`;
    before += rows;
    return [page, position];
  });
}

/** What a page says. */
export async function positionOn(rowhouse: TestRowhouse, path: string): Promise<string> {
  const { status, text } = await rowhouse.get(path);
  expect(status, text).to.equal(200);
  return /class="figures"[^>]*>\s*([^<]*?)\s*</.exec(text)?.[1] ?? "";
}

/** Expects the position on each page, from the last to the first: no page was shown before its next one. */
export async function expectPositions(rowhouse: TestRowhouse, path: string): Promise<void> {
  const positions = await positionsOf(rowhouse, path);
  expect(positions.length, path).to.be.greaterThan(1);
  for (const [page, position] of positions.toReversed())
    expect(await positionOn(rowhouse, page), page).to.equal(position);
}
