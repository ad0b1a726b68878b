/**
 * The lines of a text that comes in pieces, each of which ends with a line feed. `node:readline` also splits at U+2028 and
 * U+2029, which JSON does not escape.
 *
 * @example
 * (await linesOf(["[1]\n[", "2]\n"]).next()).value; // "[1]"
 */
export async function* linesOf(text: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let pieces: string[] = [];
  for await (const piece of text) {
    const [end = "", ...more] = piece.split("\n");
    pieces.push(end);
    for (const start of more) {
      yield pieces.join("");
      pieces = [start];
    }
  }
}
