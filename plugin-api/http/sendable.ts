import type { Reply } from "./request.js";

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** Node sends the characters to U+00FF as one byte each, and refuses control characters and the rest of Unicode. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Statuses below are no final replies: the client would wait for another one. */
const MIN_STATUS = 200;
const MAX_STATUS = 999;

/**
 * True if HTTP can send the status and the headers of a reply.
 *
 * @example
 * isSendable(reply.text("Hello")); // true
 * isSendable(reply.text("Hello", 200, { "x-title": "two\nlines" })); // false
 */
export const isSendable = ({ status, headers }: Reply): boolean =>
  Number.isInteger(status) &&
  status >= MIN_STATUS &&
  status <= MAX_STATUS &&
  Object.entries(headers).every(([name, value]) => HEADER_NAME.test(name) && isHeaderValue(value));

const isHeaderValue = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.every(isHeaderValue)
    : value !== undefined && value !== null && HEADER_VALUE.test(String(value));
