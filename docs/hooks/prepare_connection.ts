// Makes `LIKE` case-sensitive.
// Try: GET /library/authors.json?_shape=array&name__like=jane%25
// Says: []
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "strict-like",
  prepare_connection: (_rowhouse, { connection }) => connection.exec("pragma case_sensitive_like = on"),
});
