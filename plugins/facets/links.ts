import { without, withQuery } from "rowhouse/plugin-api";
import type { Pair, Request, Rowhouse } from "rowhouse/plugin-api";

/** The page with these arguments, from its first page on: path and query, `base_url` included. */
const pathWith = (rowhouse: Rowhouse, { path }: Request, pairs: readonly Pair[]): string =>
  rowhouse.urls.path(withQuery(path, without(pairs, "_next")));

/** The same with scheme and host. */
const urlWith = (rowhouse: Rowhouse, request: Request, pairs: readonly Pair[]): string =>
  rowhouse.urls.absolute(request, pathWith(rowhouse, request, pairs));

const isSame = ([name, value]: Pair, other: Pair): boolean => name === other[0] && value === other[1];

/** The page without these arguments. */
export const urlWithout = (rowhouse: Rowhouse, request: Request, unwanted: readonly Pair[]): string =>
  pathWith(
    rowhouse,
    request,
    [...request.query].filter((pair) => !unwanted.some((one) => isSame(pair, one))),
  );

/** The page with one argument more, at the end. */
export const urlWithMore = (rowhouse: Rowhouse, request: Request, argument: Pair): string =>
  urlWith(rowhouse, request, [...request.query, argument]);

/** Whether an argument is there, and the page with it taken away or added. */
export function toggle(
  rowhouse: Rowhouse,
  request: Request,
  argument: Pair,
): { readonly selected: boolean; readonly url: string } {
  const pairs = [...request.query];
  const others = pairs.filter((pair) => !isSame(pair, argument));
  const selected = others.length < pairs.length;
  return { selected, url: urlWith(rowhouse, request, selected ? others : [...pairs, argument]) };
}
