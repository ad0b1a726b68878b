declare module "../rowhouse.js" {
  interface Services {
    /** Implements `rowhouse.pluginOf`. */
    pluginGuard: { pluginOf(contribution: object): string | null };
  }
  interface Settings {
    /** Milliseconds for one call of an installed plugin; at start twelve times as long; 0 is no limit. */
    hook_time_limit_ms: number;
    /** Milliseconds until a view or renderer of an installed plugin returns for a GET request; 0 is no limit. */
    view_time_limit_ms: number;
  }
}

export {};
