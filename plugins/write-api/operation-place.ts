import { RowhouseError, WriteRejected } from "rowhouse/plugin-api";

/** A refusal with the place of the operation it is about in front; anything else as it is. */
export function asOperation(index: number, error: unknown): unknown {
  if (!(error instanceof RowhouseError) || error.status >= 500) return error;
  const messages = error instanceof WriteRejected ? error.errors : [error.message];
  return new WriteRejected(
    messages.map((message) => `Operation ${index}: ${message}`),
    error.status,
    error.headers,
  );
}
