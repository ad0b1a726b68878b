import type { Duplex } from "node:stream";
import { SqlFailed } from "rowhouse/plugin-api/errors";

/** The most that is received for a statement. The client keeps it in memory, and fails for a row of 512 MB. */
export interface ReceivedLimits {
  readonly rowBytes: number;
  readonly resultBytes: number;
}

/** Counts what is received for one statement. */
export interface ReceivedCount {
  /** The last row is complete. */
  nextRow(): void;
  end(): void;
}

/** Closes a connection over which a statement returns too much. The error is that of SQLite. */
export function limitReceived(stream: Duplex, { rowBytes, resultBytes }: ReceivedLimits): ReceivedCount {
  let ofRow = 0;
  let ofResult = 0;
  const count = ({ length }: Buffer): void => {
    ofRow += length;
    ofResult += length;
    if (ofRow > rowBytes || ofResult > resultBytes)
      stream.destroy(new SqlFailed("string or blob too big", "too-big"));
  };
  // Before the client, which collects the pieces of a row.
  stream.prependListener("data", count);
  return {
    nextRow: () => {
      ofRow = 0;
    },
    end: () => stream.off("data", count),
  };
}
