import { WriteRejected } from "rowhouse/plugin-api";
import type { Request, SqlValue, Transaction } from "rowhouse/plugin-api";
import type { RowTarget } from "../target/row-target.js";
import { canView } from "../target/write-access.js";
import type { WriteContext } from "../target/write-access.js";
import { rowVersion } from "./row-version.js";

/** A condition on the stored row for a write. */
export interface Precondition {
  /** @throws WriteRejected (412) if the row at `address` does not meet the condition */
  check(transaction: Transaction, address: readonly SqlValue[]): Promise<void>;
}

/**
 * The precondition in the header `If-Match`. The reply reveals whether the row has a certain content, so it needs the
 * permission to view the table.
 *
 * @returns null without the header, and for `*`
 * @throws WriteRejected, 403 without view-table
 */
export async function parseIfMatch(visit: WriteContext, target: RowTarget): Promise<Precondition | null> {
  const header = ifMatchHeader(visit.request);
  if (header === null) return null;
  const tags = tagsOf(header);
  const { source } = target;
  if (!(await canView(visit, target)))
    throw new WriteRejected(["Permission denied: need view-table to use If-Match"], 403);
  return {
    check: async (transaction, address) => {
      const version = await rowVersion(transaction.all.bind(transaction), source, address);
      if (version !== null && tags.includes(version)) return;
      throw new WriteRejected(["The row has changed"], 412);
    },
  };
}

/** Rejects `If-Match` where it is not supported: ignoring it would overwrite changes that the client wants to keep. */
export function rejectIfMatch(request: Request): void {
  if (ifMatchHeader(request) === null) return;
  throw new WriteRejected(["If-Match is for the update or deletion of one row, by its own path"]);
}

/** Null without the header, and for `*`. */
function ifMatchHeader({ headers }: Request): string | null {
  const header = headers["if-match"];
  return header === undefined || header.trim() === "*" ? null : header;
}

const TAG = /^(?:W\/)?"[!#-~\u0080-\u00ff]*"$/;

/** @throws WriteRejected if the header is not a list of entity tags */
function tagsOf(header: string): readonly string[] {
  const tags = header.split(",").map((tag) => tag.trim());
  if (tags.every((tag) => TAG.test(tag))) return tags;
  throw new WriteRejected(["Invalid If-Match header"]);
}
