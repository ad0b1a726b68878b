import { WriteRejected } from "rowhouse/plugin-api";
import type { SqlValue, Transaction } from "rowhouse/plugin-api";
import type { WriteVisit } from "../target/authorize-write.js";
import type { RowTarget } from "../target/row-target.js";
import { canViewTable } from "../target/table-target.js";
import { rowVersion } from "./row-version.js";

/** What a row has to be like for a write to take place. */
export interface Precondition {
  /** @throws WriteRejected (412) when the row at `address` is not like that */
  check(transaction: Transaction, address: readonly SqlValue[]): Promise<void>;
}

/**
 * The precondition in the header `If-Match`. To ask whether a row is what somebody thinks is to read it.
 *
 * @returns null where none is stated, or any row will do
 * @throws WriteRejected, 403 for those who may not view the table
 */
export async function parseIfMatch(visit: WriteVisit, target: RowTarget): Promise<Precondition | null> {
  const header = ifMatchHeader(visit);
  if (header === null) return null;
  const tags = tagsOf(header);
  const { readable } = target;
  if (!(await canViewTable(visit, target)))
    throw new WriteRejected(["Permission denied: need view-table to use If-Match"], 403);
  return {
    check: async (transaction, address) => {
      const version = await rowVersion(transaction.all.bind(transaction), readable, address);
      if (version !== null && tags.includes(version)) return;
      throw new WriteRejected(["The row has changed"], 412);
    },
  };
}

/** A condition that is passed over is one that somebody relied on. @throws WriteRejected */
export function rejectIfMatch(visit: WriteVisit): void {
  if (ifMatchHeader(visit) === null) return;
  throw new WriteRejected(["If-Match is for the update or deletion of one row, by its own path"]);
}

/** Null where there is no such header, or where it asks for any version. */
function ifMatchHeader({ request }: WriteVisit): string | null {
  const header = request.headers["if-match"];
  return header === undefined || header.trim() === "*" ? null : header;
}

const TAG = /^(?:W\/)?"[!#-~\u0080-\u00ff]*"$/;

/** @throws WriteRejected for a header that holds anything but entity tags */
function tagsOf(header: string): readonly string[] {
  const tags = header.split(",").map((tag) => tag.trim());
  if (tags.every((tag) => TAG.test(tag))) return tags;
  throw new WriteRejected(["Invalid If-Match header"]);
}
