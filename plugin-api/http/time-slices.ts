import { QueryInterrupted } from "../errors/classes.js";

/** How long a computation runs before other requests are handled. */
const SLICE_MS = 4;
/** Bodies up to this length are sent as one text. */
const LONGEST_TEXT = 1_000_000;
const PIECE_CHARACTERS = 65_536;

/** A client that may disconnect: a request. Without a signal it stays. */
interface Client {
  readonly signal?: AbortSignal | undefined;
}

/** Reading the clock takes as long as a short piece: it is read after about a tenth of a millisecond of work. */
const CLOCK_WORK = 8_192;
/** The work for a piece beside its characters. */
const PIECE_WORK = 256;

const waiting: (() => void)[] = [];

/** One computation continues for each turn of the event loop, so that many of them together do not block it. */
function resumeOne(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeOne);
}

/** What an event of a socket schedules for "immediately" runs before other sockets are looked at. */
const resumeInNextTurn = (): void => void setImmediate(resumeOne);

/**
 * Splits a long computation into slices of some milliseconds, so that the event loop answers other requests between
 * them.
 *
 * @example
 * const slices = new TimeSlices(request);
 * for (const row of rows) {
 *   write(row);
 *   if (slices.isOver) await slices.next();
 * }
 */
export class TimeSlices {
  #end = performance.now() + SLICE_MS;

  /** @param client ends the computation if it disconnects; omit it for results that several clients wait for */
  constructor(private readonly client?: Client) {}

  /** True if the computation should call `next`. */
  get isOver(): boolean {
    return performance.now() > this.#end;
  }

  /** Waits for the next slice if this one is over: for the ends of steps that take milliseconds each. */
  async nextIfOver(): Promise<void> {
    if (this.isOver) await this.next();
  }

  /** Waits for the next slice. @throws QueryInterrupted if the client has disconnected */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(resumeInNextTurn);
    });
    if (this.client?.signal?.aborted === true) throw new QueryInterrupted("The client has left.");
    this.#end = performance.now() + SLICE_MS;
  }
}

/**
 * The pieces joined into one text, computed in slices.
 *
 * @example
 * await joinedInSlices(["a", "b"], request); // "ab"
 * @throws QueryInterrupted if the client has disconnected
 */
export async function joinedInSlices(pieces: Iterable<string>, client: Client): Promise<string> {
  const slices = new TimeSlices(client);
  const texts: string[] = [];
  // Joined now and then: V8 would put thousands of pieces together in one go, when the whole text is sent.
  let some: string[] = [];
  let work = 0;
  for (const piece of pieces) {
    some.push(piece);
    work += PIECE_WORK + piece.length;
    if (work < CLOCK_WORK) continue;
    texts.push(some.join(""));
    some = [];
    work = 0;
    if (slices.isOver) await slices.next();
  }
  const rest = some.join("");
  if (texts.length === 0) return rest;
  texts.push(rest);
  // To copy megabytes takes longer than a slice, and so does what the caller makes of the text.
  await slices.nextIfOver();
  const text = texts.join("");
  await slices.nextIfOver();
  return text;
}

/**
 * A body of these pieces, computed in slices: one text when it is short, else a stream. The pieces of a stream are
 * computed when the client reads them, so the whole body is never in memory.
 *
 * @example
 * await bodyOf(["a", "b"], request); // "ab"
 * @throws QueryInterrupted if the client has disconnected
 */
export async function bodyOf(
  pieces: Iterable<string>,
  client: Client,
): Promise<string | AsyncIterable<string>> {
  const slices = new TimeSlices(client);
  const iterator = pieces[Symbol.iterator]();
  const first: string[] = [];
  let characters = 0;
  for (let step = iterator.next(); step.done !== true; step = iterator.next()) {
    first.push(step.value);
    characters += step.value.length;
    if (characters > LONGEST_TEXT) return streamed(first, iterator, client);
    if (slices.isOver) await slices.next();
  }
  return first.join("");
}

async function* streamed(
  first: readonly string[],
  rest: Iterator<string>,
  client: Client,
): AsyncGenerator<string> {
  const slices = new TimeSlices(client);
  let texts: string[] = [];
  let characters = 0;
  for (const piece of chained(first, rest)) {
    // A long piece is sent by itself, so that it is not copied.
    if (texts.length > 0 && characters + piece.length > PIECE_CHARACTERS) {
      yield texts.join("");
      texts = [];
      characters = 0;
    }
    texts.push(piece);
    characters += piece.length;
    if (slices.isOver) await slices.next();
  }
  if (texts.length > 0) yield texts.join("");
}

function* chained(first: readonly string[], rest: Iterator<string>): Generator<string> {
  yield* first;
  for (let step = rest.next(); step.done !== true; step = rest.next()) yield step.value;
}
