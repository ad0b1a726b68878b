import { RowhouseError, type Rowhouse } from "rowhouse/plugin-api";
import { InvalidSql, PluginError } from "rowhouse/plugin-api/errors";

/** Whose function it is, for errors and the log. */
export interface Origin {
  readonly rowhouse: Rowhouse;
  readonly plugin: string;
  /** The hook, or such as `the view notes`. */
  readonly what: string;
}

/**
 * The error to throw for the failure of a function: errors for the client stay as they are, others name the plugin.
 *
 * If a statement is rejected, the client gets the message with status 400, since the statement or a value may be
 * from the client. The log names the plugin, since the mistake may be in its SQL.
 */
export function namedFailure({ rowhouse, plugin, what }: Origin, error: unknown): Error {
  const named = new PluginError(plugin, what, error);
  if (error instanceof InvalidSql && error.status === 400) rowhouse.log.warn(named.message);
  return error instanceof RowhouseError ? error : named;
}
