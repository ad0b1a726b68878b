import type { Visit } from "rowhouse/plugin-api";
import type { TypedColumns } from "rowhouse/plugin-api/contracts";

/** The current column types of a table; null if there are none. */
export const typesOf = async ({
  rowhouse,
  request,
  target,
}: Visit<"table"> | Visit<"row">): Promise<TypedColumns | null> =>
  (await rowhouse
    .serviceIfAny("columnTypes")
    ?.of(target.database.name, target.table.name, request.receivedMs)) ?? null;
