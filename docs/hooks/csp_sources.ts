// Allows images of a map server over plain HTTP, which the policy blocks by default.
// Try: GET /library
// Header: content-security-policy: default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: https: http://tiles.example.org; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "map-tiles",
  csp_sources: () => ({ directive: "img-src", source: "http://tiles.example.org" }),
});
