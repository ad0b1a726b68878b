import {
  BadRequest,
  NotFound,
  withQuery,
  type Actor,
  type Permission,
  type Resource,
  type Visit,
} from "rowhouse/plugin-api";
import { tildeEncode } from "rowhouse/plugin-api/http";
import { askedBy, readCheckForm } from "./check-form.js";

/** What a list of decisions is about, and which page of it. */
export interface ListRequest {
  readonly actor: Actor | null;
  readonly action: Permission;
  /** The database, or table or query, that the list is narrowed to; null for all. */
  readonly place: Resource;
  /** From 1. */
  readonly page: number;
  readonly size: number;
}

const PAGE_SIZE = 50;
const LARGEST_PAGE = 200;

/**
 * Reads `?actor=`, `?action=`, `?parent=`, `?child=`, `?page=` and `?page_size=`.
 *
 * @throws BadRequest
 * @throws NotFound if no plugin registers the action
 */
export function readListRequest(visit: Visit): ListRequest {
  const { registered } = visit.rowhouse.permissions;
  const { actor, action: name, resource } = readCheckForm(askedBy(visit), registered);
  const action = registered.get(name);
  if (action === undefined) throw new NotFound(`Permission not found: ${name}`);
  const page = positive(visit, "page") ?? 1;
  const size = Math.min(positive(visit, "page_size") ?? PAGE_SIZE, LARGEST_PAGE);
  return { actor, action, place: resource, page, size };
}

function positive({ request }: Visit, name: string): number | null {
  const text = request.query.get(name) ?? "";
  if (text === "") return null;
  if (/^0*[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new BadRequest(`${name} must be a whole number from 1`);
}

/** The items of the page, and the addresses of the pages before and after it. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly previousUrl: string | null;
  readonly nextUrl: string | null;
}

/** @param path of the list, without the base URL and the format */
export function pageOf<Item>(
  visit: Visit,
  path: string,
  { all, page, size }: Pick<ListRequest, "page" | "size"> & { readonly all: readonly Item[] },
): ListPage<Item> {
  const start = (page - 1) * size;
  const url = (number: number): string =>
    listUrl(visit, visit.format === "html" ? path : `${path}.${visit.format}`, [
      ["page", String(number)],
      ["page_size", String(size)],
    ]);
  return {
    items: all.slice(start, start + size),
    total: all.length,
    previousUrl: page > 1 ? url(page - 1) : null,
    nextUrl: start + size < all.length ? url(page + 1) : null,
  };
}

type Pairs = readonly (readonly [name: string, value: string])[];

/** The address of a list with the arguments of the request that say what it is about, and others. */
export function listUrl({ rowhouse, request }: Visit, path: string, further: Pairs = []): string {
  const asked = ["actor", "action", "parent", "child"].flatMap((name): Pairs => {
    const value = request.query.get(name) ?? "";
    return value === "" ? [] : [[name, value]];
  });
  return withQuery(rowhouse.urls.path(path), [...asked, ...further]);
}

/** A list in published form. Addresses of pages that do not exist are left out. */
export const listDocument = (
  { actor, action, page, size }: ListRequest,
  { total, previousUrl, nextUrl }: ListPage<unknown>,
  items: readonly object[],
): Readonly<Record<string, unknown>> => ({
  ok: true,
  action: action.name,
  actor_id: actor?.id ?? null,
  page,
  page_size: size,
  total,
  items,
  ...(nextUrl !== null && { next_url: nextUrl }),
  ...(previousUrl !== null && { previous_url: previousUrl }),
});

/** `{ parent: "data", child: "docs", resource: "/data/docs" }`; null for parts that a resource does not have. */
export function publishedPlace(resource: Resource): {
  readonly parent: string | null;
  readonly child: string | null;
  readonly resource: string;
} {
  const [parent, child] = partsOf(resource);
  return {
    parent,
    child,
    resource: `/${[parent, child]
      .filter((name) => name !== null)
      .map(tildeEncode)
      .join("/")}`,
  };
}

/** A database and a name in it; null for parts that a resource does not have. */
export function partsOf(resource: Resource): readonly [parent: string | null, child: string | null] {
  if (resource === null) return [null, null];
  return typeof resource === "string" ? [resource, null] : resource;
}

/** True if two resources are the same, or one of them contains the other. */
export function overlaps(one: Resource, other: Resource): boolean {
  const [parent, child] = partsOf(one);
  const [otherParent, otherChild] = partsOf(other);
  return agrees(parent, otherParent) && agrees(child, otherChild);
}

const agrees = (one: string | null, other: string | null): boolean =>
  one === null || other === null || one === other;
