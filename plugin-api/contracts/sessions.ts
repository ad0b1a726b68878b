import type { First } from "../hooks.js";
import type { Actor } from "../permissions.js";
import type { Request } from "../request.js";

/** How much a message matters: chooses its colour. */
export type MessageLevel = "info" | "warning" | "error";

/** Something to be told once, on the next page that is shown. */
export interface Message {
  readonly text: string;
  readonly level: MessageLevel;
}

declare module "../hooks.js" {
  interface HookTable {
    /** An unsafe request with cookies: `true` lets it pass without a CSRF token. */
    skip_csrf: First<{ readonly request: Request }, true>;
  }
}

declare module "../rowhouse.js" {
  interface Services {
    messages: {
      /** Shown on the next page this visitor sees. */
      add(request: Request, text: string, level?: MessageLevel): void;
      /** The messages waiting, which are then taken as shown. */
      take(request: Request): readonly Message[];
    };
    csrf: {
      /**
       * What a form field `csrftoken` or a header `x-csrftoken` carries: another text for each request, which fits the
       * cookie that the reply then sets.
       */
      token(request: Request): string;
    };
    sessions: {
      /** A `Set-Cookie` value that signs this actor in. */
      signIn(request: Request, actor: Actor, options?: { readonly expireAfterSeconds?: number }): string;
      signOut(request: Request): string;
    };
    login: {
      /** Path and query of the one-time login link for `root`, without `base_url`; null without `--root`. */
      rootUrlPath(): string | null;
    };
  }
  interface Settings {
    /** For demonstrations: everybody can sign in as root. */
    login_as_root: boolean;
  }
  interface Options {
    /** Print a one-time login link for the actor `root`. */
    root: boolean;
  }
}
