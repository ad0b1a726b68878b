/** What one actor can save at most. */
export const MOST_OF_ONE_OWNER = 1000;
/** Those of the actor, and at least as many of others. */
const MOST_LISTED = 2 * MOST_OF_ONE_OWNER;

/**
 * A statement that reads shared rows and those of `:actor`, who comes first, by name. If there are too many, each of the
 * other owners has equally many: one that shared a thousand views must not displace all others.
 *
 * @param from a table with the columns `owner`, `name`, `saved` and `is_private`
 */
export const selectVisible = (columns: readonly string[], from: string, where: string): string => `
  select ${columns.join(", ")} from (
    select *, row_number() over (partition by owner order by name, saved) as place_of_owner
    from ${from} where ${where} and (is_private = 0 or owner = :actor)
    order by owner is not :actor, place_of_owner, name, saved limit ${MOST_LISTED})
  order by owner is not :actor, name, saved`;
