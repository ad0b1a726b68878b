import { definePlugin, type Actor, type Resource } from "rowhouse/plugin-api";
import { INTERNAL, catalogueSync, createCatalogue } from "./catalogue-sync.js";

/** The read-only database `_internal` with the schemas of all databases, only for root. */
export default definePlugin({
  name: "internal",
  deterministic: true,
  unguarded: true,
  // Before plugins that write to this database at start.
  startup: {
    order: "early",
    run: async (rowhouse) => {
      const file = rowhouse.option("internal");
      const database = await rowhouse.addDatabase({
        uri: file === undefined ? "memory:" : `file:${file}`,
        create: true,
        name: INTERNAL,
        mutable: true,
        internal: true,
      });
      await database.write(createCatalogue);
    },
  },
  permission_allowed_many: (_rowhouse, { actor, action, resources }) => {
    if (isRoot(actor) && READING.has(action)) return null;
    return resources.some(isOurs) ? resources.map((one) => (isOurs(one) ? false : null)) : null;
  },
  setup(rowhouse) {
    const catalogue = catalogueSync(rowhouse);
    return {
      before_view: (_rowhouse, { visit: { target } }) =>
        target.kind !== "instance" && target.database.name === INTERNAL
          ? catalogue.refresh(target.database).then(() => null)
          : null,
    };
  },
});

const isOurs = (resource: Resource): boolean => databaseOf(resource) === INTERNAL;

const READING: ReadonlySet<string> = new Set(["view-database", "view-table", "view-query", "execute-sql"]);

const isRoot = (actor: Actor | null): boolean => actor?.id === "root";

const databaseOf = (resource: Resource): string | null =>
  typeof resource === "string" || resource === null ? resource : (resource[0] ?? null);
