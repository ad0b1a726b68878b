import type { StoredBlob } from "rowhouse/plugin-api/engine";
import type { Connection } from "../open/connection.js";
import { bind, singleStatement } from "../sql/statement.js";

/** For these two functions, SQLite reads only the header of a stored row. */
export const blobSize = (expression: string): string =>
  `case typeof(${expression}) when 'blob' then length(${expression}) end`;

/**
 * SQLite reads the whole BLOB again for each piece, in about a millisecond per megabyte. The driver copies a piece on the
 * event loop, which blocks it for less than 20 ms.
 */
const PIECE_BYTES = 2 ** 24;

/** The longest BLOB that SQLite can store. */
const LONGEST_BLOB = 2 ** 31;

const PLACES = '"rowhouse:places"';
const PLACE = '"rowhouse:place"';

const STEPS =
  `${PLACES}(${PLACE}) as (select 0 union all select ${PLACE} + ${PIECE_BYTES} from ${PLACES} ` +
  `limit ${LONGEST_BLOB / PIECE_BYTES})`;

/** The bytes of a BLOB as the driver returns them, from one snapshot. Without a limit of time: the work is limited. */
export async function* blobPieces(
  connection: Connection,
  { value, source, where, params }: StoredBlob,
): AsyncGenerator<Buffer> {
  const sql =
    `with recursive ${STEPS} select substr(${value}, ${PLACE} + 1, ${PIECE_BYTES}) as piece ` +
    `from ${source} cross join ${PLACES} where ${where} and ${PLACE} < length(${value})`;
  const rows = connection.step<{ readonly piece: Buffer }>(bind(singleStatement(sql), params), {});
  for await (const { piece } of rows) yield piece;
}
