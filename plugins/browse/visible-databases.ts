import { visibilityOf } from "rowhouse/plugin-api";
import type { Actor, Database, Rowhouse } from "rowhouse/plugin-api";

export interface VisibleDatabase {
  readonly database: Database;
  readonly private: boolean;
}

/** The databases that somebody may view, in the order they are served. */
export async function visibleDatabases(
  rowhouse: Rowhouse,
  actor: Actor | null,
): Promise<readonly VisibleDatabase[]> {
  const databases = [...rowhouse.databases.values()].filter(({ internal }) => !internal);
  const answers = await visibilityOf(
    rowhouse.permissions,
    actor,
    databases.map(({ name }) => [["view-database", name]]),
  );
  return databases.flatMap((database, index) => {
    const answer = answers[index];
    return answer?.visible === true ? [{ database, private: answer.private }] : [];
  });
}
