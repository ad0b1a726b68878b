import { withQuery, type Request, type Rowhouse } from "rowhouse/plugin-api";
import { escapedBytes, queryPairs, type Pair } from "rowhouse/plugin-api/http";

/** What a failed request had asked for, to be changed and sent again. */
export interface KeptRequest {
  readonly action: string;
  /** The statement of a request with `sql`; null for others. */
  readonly sql: string | null;
  readonly fields: readonly KeptField[];
  /** The page without arguments, if there are arguments that narrow it. */
  readonly reset_url: string | null;
}

interface KeptField {
  readonly name: string;
  readonly value: string;
  /** The page without this argument. */
  readonly remove_url: string;
}

/** A form with more fields would be longer than the pages that a person reads. */
const MOST_FIELDS = 300;
/** Of all links that remove a field, in characters: each repeats all other fields. */
const LONGEST_LINKS = 200_000;

/**
 * The arguments of a request for a page as fields of a form. Null for requests without arguments or with very many, and for
 * writes.
 */
export function keptRequest({ urls }: Rowhouse, request: Request): KeptRequest | null {
  if (request.method !== "GET" && request.method !== "HEAD") return null;
  // Forms send only text, and a page after the first belongs to the arguments that it was made for.
  const pairs = queryPairs(request).filter(
    ([name, value]) => name !== "_next" && escapedBytes(name) === null && escapedBytes(value) === null,
  );
  const sql = pairs.find(([name]) => name === "sql")?.[1] ?? null;
  const fields = pairs.filter(([name]) => name !== "sql");
  if (pairs.length === 0 || pairs.length > MOST_FIELDS) return null;
  const links = Math.floor(LONGEST_LINKS / (request.queryString.length + request.path.length));
  const action = urls.path(request.path);
  const without = (dropped: Pair): string =>
    urls.path(
      withQuery(
        request.path,
        pairs.filter((pair) => pair !== dropped),
      ),
    );
  return {
    action,
    sql,
    fields: fields.map((pair, index) => ({
      name: pair[0],
      value: pair[1],
      remove_url: index < links ? without(pair) : "",
    })),
    reset_url: sql === null && fields.length > 0 ? action : null,
  };
}
