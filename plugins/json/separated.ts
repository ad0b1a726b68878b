/** The texts with `separator` between them, each ready to be sent. */
export function* separated(texts: Iterable<string>, separator: string): Generator<string> {
  let isFirst = true;
  for (const text of texts) {
    yield isFirst ? text : separator + text;
    isFirst = false;
  }
}

/** A list or an object: `open`, the members with commas between them, `close`. */
export function* enclosed(open: string, members: Iterable<string>, close: string): Generator<string> {
  yield open;
  yield* separated(members, ", ");
  yield close;
}
