import { definePlugin, reply, type Reply, type Request } from "rowhouse/plugin-api";

const HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "Authorization, Content-Type",
  "access-control-expose-headers": "Link",
  "access-control-allow-methods": "GET, POST, HEAD, OPTIONS",
};

// Browsers read the allowed request headers from the reply to the preflight request, and send none again for an hour.
const PREFLIGHT_HEADERS = {
  ...HEADERS,
  "access-control-max-age": "3600",
  "access-control-allow-headers": `${HEADERS["access-control-allow-headers"]}, If-Match, Idempotency-Key`,
};

/** With `--cors`, adds CORS headers to all replies, errors included, so that other sites can read the data. */
export default definePlugin({
  name: "cors",
  deterministic: true,
  unguarded: true,
  setup: (rowhouse) =>
    rowhouse.option("cors") === true
      ? {
          // Runs last, since it exposes headers that other plugins add.
          finish_reply: {
            order: "late",
            run: (_rowhouse, { value, request }) => reply.withHeaders(value, headersFor(request, value)),
          },
        }
      : {},
});

function headersFor({ method }: Request, { headers }: Reply): typeof HEADERS {
  if (method === "OPTIONS") return PREFLIGHT_HEADERS;
  const exposed = [HEADERS["access-control-expose-headers"]];
  // Scripts send a row's version back; a weak tag is for caches alone.
  if (String(headers["etag"] ?? "").startsWith('"')) exposed.push("ETag");
  if (headers["idempotency-replayed"] !== undefined) exposed.push("Idempotency-Replayed");
  if (headers["www-authenticate"] !== undefined) exposed.push("WWW-Authenticate");
  if (headers["rowhouse-truncated"] !== undefined) exposed.push("Rowhouse-Truncated");
  return { ...HEADERS, "access-control-expose-headers": exposed.join(", ") };
}
