import { TempFileBuffer } from "./temp-file-buffer.js";

/**
 * Items read one by one while somebody takes their time over them. Until the last one is read a lock keeps
 * writers from committing; `release` reads the rest at once and puts it aside.
 */
export class DetachableStream<Item> {
  #turn: Promise<unknown> = Promise.resolve();
  #aside: TempFileBuffer<Item> | null = null;
  #ended = false;

  constructor(private readonly steps: AsyncGenerator<Item>) {}

  /** The next item, or undefined behind the last one. */
  next(): Promise<Item | undefined> {
    return this.#inTurn(async () => {
      if (this.#aside !== null) return this.#aside.take();
      const step = await this.steps.next();
      this.#ended ||= step.done === true;
      return step.done === true ? undefined : step.value;
    });
  }

  /** Resolves when no lock is held any more. What goes wrong is told to whoever asks for the next item. */
  detach(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#ended || this.#aside !== null) return;
      const aside = await TempFileBuffer.open<Item>();
      this.#aside = aside;
      for await (const item of this.steps) await aside.put(item);
    });
  }

  /** Ends the read, wherever it is. */
  async close(): Promise<void> {
    await this.#inTurn(async () => {
      this.#ended = true;
      await this.steps.return(undefined);
      await this.#aside?.close();
    });
  }

  #inTurn<T>(operation: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(operation);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}
