// Writes a message while the databases are still open.
// Log: info: 4 authors are going home
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "good-bye",
  shutdown: async (rowhouse) => {
    const { rows } = await rowhouse.database("library").read("select count(*) from authors");
    rowhouse.log.info(`${String(rows[0]?.[0])} authors are going home`);
  },
});
