import { definePlugin, reply } from "rowhouse/plugin-api";

const HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "Authorization, Content-Type",
  "access-control-expose-headers": "Link",
  "access-control-allow-methods": "GET, POST, HEAD, OPTIONS",
};

/** Lets pages of other sites read the data, refusals and errors included, when started with `--cors`. */
export default definePlugin({
  name: "cors",
  finish_reply: (rowhouse, { value }) =>
    rowhouse.option("cors") === true ? reply.withHeaders(value, HEADERS) : value,
});
