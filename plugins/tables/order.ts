import { BadRequest } from "rowhouse/plugin-api";
import { tildeDecode, tildeEncode, type Pair } from "rowhouse/plugin-api/http";

/** A column to sort by, and the direction. */
export interface Sort {
  readonly column: string;
  readonly descending: boolean;
}

/** The columns by which a page is sorted, most significant first; empty for the default order of the table. */
export type Order = readonly Sort[];

/** Each column adds a level of parentheses to the condition of the next page. */
const MOST_COLUMNS = 16;

/**
 * Parses `_order`: tilde-encoded names of columns, joined by commas. A leading `-` means descending, so a column whose
 * name begins with one is written `~2Dname`.
 *
 * @example
 * readOrder("year,-price"); // [{ column: "year", descending: false }, { column: "price", descending: true }]
 * @throws BadRequest for empty names, repeated columns, and more columns than a statement takes
 */
export function readOrder(text: string): Order {
  if (text === "") return [];
  const order = text.split(",").map((part): Sort => {
    const descending = part.startsWith("-");
    return { column: tildeDecode(descending ? part.slice(1) : part), descending };
  });
  if (order.some(({ column }) => column === "")) throw new BadRequest("_order has an empty column name");
  if (order.length > MOST_COLUMNS) throw new BadRequest(`_order takes at most ${MOST_COLUMNS} columns`);
  const twice = order.find(({ column }, index) => order.findIndex((one) => one.column === column) < index);
  if (twice !== undefined) throw new BadRequest(`_order has the column ${twice.column} twice`);
  return order;
}

/** The argument that requests this order. */
export function orderArgument(order: Order): Pair {
  const [first, ...more] = order;
  if (first !== undefined && more.length === 0) {
    return [first.descending ? "_sort_desc" : "_sort", first.column];
  }
  return ["_order", order.map((one) => (one.descending ? "-" : "") + encodedName(one.column)).join(",")];
}

/** A leading hyphen of the name must not read as a direction. */
const encodedName = (column: string): string => tildeEncode(column).replace(/^-/, "~2D");

/** `sorted by year, price descending`; empty without an order. */
export const describeOrder = (order: Order): string =>
  order.length === 0
    ? ""
    : `sorted by ${order.map(({ column, descending }) => `${column}${descending ? " descending" : ""}`).join(", ")}`;
