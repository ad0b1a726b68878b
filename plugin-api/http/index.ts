// Requests, replies, routes and links.
export * from "./lazy-page.js";
export * from "./make-request.js";
export * from "./paths.js";
export * from "./query-bytes.js";
export * from "./query-links.js";
export * from "./reply-body.js";
export * from "./request.js";
export * from "./route.js";
export * from "./sendable.js";
export { afterSlowBody } from "./slow-body.js";
export * from "./time-limit.js";
export * from "./time-slices.js";
