import type { Reply } from "rowhouse/plugin-api";

/** After this time a page is no longer waited for. Its request may never end, if another plugin fails. */
const LONGEST_WAIT_MS = 3_000;

class PageInProgress {
  readonly reply: Promise<Reply | null>;
  #resolve: (reply: Reply | null) => void = () => undefined;
  readonly #timer = setTimeout(() => this.end(null), LONGEST_WAIT_MS).unref();

  /** @param ended is called at the end, before the waiting requests continue */
  constructor(private readonly ended: () => void) {
    this.reply = new Promise((resolve) => (this.#resolve = resolve));
  }

  end(reply: Reply | null): void {
    clearTimeout(this.#timer);
    this.ended();
    this.#resolve(reply);
  }
}

/**
 * The pages that are being made, by their identity. Requests for the same page wait for the first of them: after each
 * change of the data, all clients ask for new pages at once.
 */
export class PagesInProgress {
  readonly #pages = new Map<string, PageInProgress>();

  /**
   * The reply to the request that is making the page already; null if that reply is for one client only. Also null without
   * such a request: then the caller makes the page, and calls `end`.
   */
  async join(identity: string): Promise<Reply | null> {
    const page = this.#pages.get(identity);
    if (page !== undefined) return page.reply;
    this.#pages.set(identity, new PageInProgress(() => this.#pages.delete(identity)));
    return null;
  }

  /** @param reply null if no other request may have it */
  end(identity: string, reply: Reply | null): void {
    this.#pages.get(identity)?.end(reply);
  }
}
