// Adds a kind of database: `demo:` creates one in memory and fills it at start.
// Try: GET /demo/planets.json?_shape=array
// Says: [{"rowid": 1, "name": "Mercury"}, {"rowid": 2, "name": "Venus"}]
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "demo",
  startup: async (rowhouse) => {
    await rowhouse.addDatabase({ uri: "demo:", name: "demo", mutable: true });
  },
  open_database: async (rowhouse, { location }) => {
    if (location.uri !== "demo:") return null;
    const inMemory = { ...location, uri: "memory:" };
    const database = await rowhouse.hooks.open_database.promise(rowhouse, { location: inMemory });
    await database?.write(async (transaction) => {
      await transaction.run("create table planets (name text)");
      await transaction.run("insert into planets values ('Mercury'), ('Venus')");
    });
    return database;
  },
});
