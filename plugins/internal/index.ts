import { definePlugin, messageOf, StartupError } from "rowhouse/plugin-api";
import { createCatalogue } from "./catalogue.js";
import { INTERNAL, catalogueSync } from "./catalogue-sync.js";

/** The database `_internal` with the schemas of all databases. The plugin `permissions` lets only root read it. */
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
      try {
        await database.write(createCatalogue);
      } catch (error) {
        // Plugins would write to it at `shutdown`.
        await rowhouse.removeDatabase(INTERNAL);
        throw new StartupError(
          `Could not write to the internal database ${file ?? "in memory"}: ${messageOf(error)}`,
          1,
          { cause: error },
        );
      }
    },
  },
  setup(rowhouse) {
    const catalogue = catalogueSync(rowhouse);
    return {
      before_view: {
        only: { database: INTERNAL },
        run: (_rowhouse, { visit: { target } }) =>
          target.kind === "instance" ? null : catalogue.refresh(target.database).then(() => null),
      },
    };
  },
});
