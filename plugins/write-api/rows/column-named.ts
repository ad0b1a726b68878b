import { WriteRejected, type Column } from "rowhouse/plugin-api";
import { findByName } from "rowhouse/plugin-api/names";

/** The column that a request names. @throws WriteRejected if there is none */
export function columnNamed<One extends Pick<Column, "name">>(
  { columns }: { readonly columns: readonly One[] },
  name: string,
): One {
  const found = findByName(columns, name);
  if (found === undefined) throw new WriteRejected([`no such column: ${name}`]);
  return found;
}
