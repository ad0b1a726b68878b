import type { RouteFor } from "rowhouse/plugin-api";
import { SqlFailed } from "rowhouse/plugin-api/errors";

type Kind = "table" | "row";

/**
 * A route whose view runs again, with a new target, if a statement failed and the schema is another one since the target
 * was found: the columns of the first statement may have been renamed or dropped meanwhile.
 */
export function underCurrentSchema<K extends Kind>(route: RouteFor<K>): RouteFor<K> {
  const view: RouteFor<K>["view"] = async (visit) => {
    try {
      return await route.view(visit);
    } catch (error) {
      if (!(error instanceof SqlFailed) || error.status !== 400) throw error;
      const { rowhouse, names, actor } = visit;
      const target = await rowhouse.authorizedTarget(route, names, actor);
      // Not the schema of the database: plugins make targets, too.
      if (target.schema.version === visit.target.schema.version) throw error;
      return view({ ...visit, target });
    }
  };
  return { ...route, view };
}
