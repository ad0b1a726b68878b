type Variables = Readonly<Record<string, unknown>>;
type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** Stops a template that needs the result of a promise. It is caught when the page is rendered again. */
class ResultPending extends Error {}

/**
 * The calls that the templates of one page make to functions of plugins. Templates run synchronously. So a call that
 * returns a promise ends the rendering; when the promise is settled, the page is rendered again, and each earlier call,
 * in the order of the calls, gets the result that it had.
 */
export class TemplateCalls {
  readonly #outcomes: Outcome[] = [];
  #made = 0;
  #pending: Promise<unknown> | null = null;

  /** The variables with functions that return the results of promises instead of the promises. */
  withResults(variables: Variables): Variables {
    return Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, this.#callable(value)]),
    );
  }

  /** What `render` returns, once no result of a call is missing. */
  async rendered(render: () => string): Promise<string> {
    for (;;) {
      this.#made = 0;
      this.#pending = null;
      try {
        const markup = render();
        // A template can catch the error that stops it.
        if (this.#pending === null) return markup;
      } catch (error) {
        if (this.#pending === null) throw error;
      }
      this.#outcomes.push(await outcomeOf(this.#pending));
    }
  }

  #callable(value: unknown): unknown {
    if (typeof value !== "function") return value;
    return new Proxy(value as () => unknown, {
      apply: (call, self, args: []) => this.#result(() => Reflect.apply(call, self, args)),
    });
  }

  #result(call: () => unknown): unknown {
    if (this.#pending !== null) throw new ResultPending();
    const outcome = this.#outcomes[this.#made] ?? this.#firstOutcome(call);
    this.#made += 1;
    if ("error" in outcome) throw outcome.error;
    return outcome.value;
  }

  #firstOutcome(call: () => unknown): Outcome {
    const outcome = outcomeOfCall(call);
    if ("value" in outcome && outcome.value instanceof Promise) {
      this.#pending = outcome.value;
      throw new ResultPending();
    }
    this.#outcomes.push(outcome);
    return outcome;
  }
}

function outcomeOfCall(call: () => unknown): Outcome {
  try {
    return { value: call() };
  } catch (error) {
    return { error };
  }
}

async function outcomeOf(promise: Promise<unknown>): Promise<Outcome> {
  try {
    return { value: await promise };
  } catch (error) {
    return { error };
  }
}
