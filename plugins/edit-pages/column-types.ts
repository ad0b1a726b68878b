import type { TypedColumns, Visit } from "rowhouse/plugin-api";

/** What the columns of the table are said to hold, as it is now; null where nothing is. */
export const typesOf = async ({
  rowhouse,
  request,
  target,
}: Visit<"table"> | Visit<"row">): Promise<TypedColumns | null> =>
  (await rowhouse
    .serviceIfAny("columnTypes")
    ?.of(target.database.name, target.table.name, request.receivedMs)) ?? null;
