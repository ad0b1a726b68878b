import type { Visit } from "rowhouse/plugin-api";
import { SqlFailed } from "rowhouse/plugin-api/errors";

type Kind = "table" | "row";

/**
 * A view that runs again, with a new target, if a statement failed and the schema is another one since the target was
 * found: the columns of the first statement may have been renamed or dropped meanwhile.
 */
export const underCurrentSchema =
  <K extends Kind, Result>(view: (visit: Visit<K>) => Promise<Result>) =>
  async (visit: Visit<K>): Promise<Result> => {
    try {
      return await view(visit);
    } catch (error) {
      if (!(error instanceof SqlFailed) || error.status !== 400 || (await isCurrent(visit))) throw error;
    }
    const { rowhouse, route, names, actor } = visit;
    const target = await rowhouse.authorizedTarget<K>(route as never, names, actor);
    return underCurrentSchema(view)({ ...visit, target });
  };

async function isCurrent({ target }: Pick<Visit<Kind>, "target">): Promise<boolean> {
  return (await target.database.schema()).version === target.schema.version;
}
