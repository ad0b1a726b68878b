import { defineSettings, type SettingsOf } from "../kernel/settings.js";
import { defineHooks, hook, type HooksOf } from "../kernel/define-hooks.js";
import type { Actor } from "../access/permissions.js";
import type { Request } from "../http/request.js";

/** The level of a message, which determines its colour. */
export type MessageLevel = "info" | "warning" | "error";

/** A message that is shown once, on the next page. */
export interface Message {
  readonly text: string;
  readonly level: MessageLevel;
  readonly action?: MessageAction;
}

/** A button in a message: a form that is sent to `path` with a CSRF token. */
export interface MessageAction {
  readonly label: string;
  /** The path with the base URL. */
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** The hooks of the plugin that owns this contract. */
export const csrfHooks = defineHooks({
  /** Each unsafe request with cookies: `true` accepts it without a CSRF token. */
  skip_csrf: hook.first<{ readonly request: Request }, true>({
    ignoreFalsy: true,
    affects: "nothing",
    expects: { what: "true, or nothing", is: (answer) => answer === true },
  }),
});

declare module "../kernel/hooks.js" {
  interface HookTable extends HooksOf<typeof csrfHooks> {}
}

/** The settings of the plugin login. */
export const loginSettings = defineSettings({
  /** For demonstrations: anyone can sign in as root. */
  login_as_root: {
    default: false,
    help: "For demonstrations: anyone can sign in as root at /login-as-root",
    unlisted: true,
  },
});

declare module "../kernel/rowhouse.js" {
  interface Services {
    messages: {
      /** Adds a message to the next page of this client. An action that is too large for a cookie is left out. */
      add(request: Request, text: string, level?: MessageLevel, action?: MessageAction): void;
      /** Returns the messages and removes them. */
      take(request: Request): readonly Message[];
    };
    csrf: {
      /**
       * The value of the form field `csrftoken` or the header `x-csrftoken`. It differs for each request and belongs to
       * the cookie that the reply sets.
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
  interface Settings extends SettingsOf<typeof loginSettings> {}
  interface Options {
    /** Print a one-time login link for the actor `root`. */
    root: boolean;
  }
}
