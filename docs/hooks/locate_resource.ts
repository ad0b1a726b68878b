// Gives a table another name. Permissions are checked for the table that is found.
// Try: GET /library/volumes.json?_shape=arrayfirst&_size=2
// Says: [1, 2]
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "volumes",
  locate_resource: (rowhouse, { name, ...rest }) =>
    name === "volumes" ? rowhouse.hooks.locate_resource.promise(rowhouse, { ...rest, name: "books" }) : null,
});
