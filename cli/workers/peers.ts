import type { WorkerGroup } from "rowhouse/plugin-api/contracts";

/** Messages by which a worker gets answers of all workers. They pass the first process. */
export type PeerMessage =
  | { readonly peer: "gather"; readonly id: number; readonly topic: string }
  | { readonly peer: "gathered"; readonly id: number; readonly answers: readonly unknown[] }
  | { readonly peer: "answer"; readonly id: number; readonly topic: string }
  | { readonly peer: "answered"; readonly id: number; readonly answer: unknown };

export const isPeerMessage = (value: unknown): value is PeerMessage =>
  typeof value === "object" && value !== null && "peer" in value;

/** A worker that does not answer in this time is left out. */
const ANSWER_LIMIT_MS = 2_000;

type Answer = () => unknown;

/** The other workers, as one worker sees them. */
export class Peers implements WorkerGroup {
  readonly #answers = new Map<string, Answer[]>();
  readonly #waiting = new Map<number, (answers: readonly unknown[]) => void>();
  #gatherings = 0;

  /** @param number that of this worker */
  constructor(readonly number: number) {
    process.on("message", (message: unknown) => {
      if (!isPeerMessage(message)) return;
      if (message.peer === "gathered") this.#waiting.get(message.id)?.(message.answers);
      if (message.peer === "answer") void this.#answer(message.id, message.topic);
    });
  }

  gather(topic: string): Promise<readonly unknown[]> {
    const id = (this.#gatherings += 1);
    return new Promise((resolve) => {
      this.#waiting.set(id, (answers) => {
        this.#waiting.delete(id);
        resolve(answers);
      });
      send({ peer: "gather", id, topic });
    });
  }

  answer(topic: string, answer: Answer): () => void {
    const answers = this.#answers.get(topic) ?? [];
    this.#answers.set(topic, answers);
    answers.push(answer);
    return () => void answers.splice(answers.indexOf(answer), 1);
  }

  /** During a reload there are two kernels: the last one answers. */
  async #answer(id: number, topic: string): Promise<void> {
    const make = this.#answers.get(topic)?.at(-1);
    const answer = await Promise.resolve(make?.()).catch(() => null);
    send({ peer: "answered", id, answer: answer ?? null });
  }
}

const send = (message: PeerMessage): void => void process.send?.(message);

/** What the first process does with such messages. */
export class Gatherings {
  readonly #waiting = new Map<number, (answer: unknown) => void>();
  #questions = 0;

  /** @param tell sends a message to one of the workers */
  constructor(private readonly tell: (worker: number, message: PeerMessage) => void) {}

  /** Handles a message of a worker. @param others all workers that serve */
  async receive(message: PeerMessage, worker: number, others: readonly number[]): Promise<void> {
    if (message.peer === "answered") this.#waiting.get(message.id)?.(message.answer);
    if (message.peer !== "gather") return;
    const answers = await Promise.all(others.map((one) => this.#ask(one, message.topic)));
    const given = answers.filter((answer) => answer !== null && answer !== undefined);
    this.tell(worker, { peer: "gathered", id: message.id, answers: given });
  }

  #ask(worker: number, topic: string): Promise<unknown> {
    const id = (this.#questions += 1);
    return new Promise((resolve) => {
      const settle = (answer: unknown): void => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        resolve(answer);
      };
      const timer = setTimeout(() => settle(null), ANSWER_LIMIT_MS);
      this.#waiting.set(id, settle);
      this.tell(worker, { peer: "answer", id, topic });
    });
  }
}
