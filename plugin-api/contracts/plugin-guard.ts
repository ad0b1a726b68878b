declare module "../rowhouse.js" {
  interface Services {
    /** What `rowhouse.pluginOf` answers. */
    pluginGuard: { pluginOf(contribution: object): string | null };
  }
  interface Settings {
    /** Milliseconds a plugin from elsewhere may take for one answer, at start twelve times as long; 0 is no limit. */
    hook_time_limit_ms: number;
    /** Milliseconds until a page or an output format of such a plugin begins to answer a GET; 0 is no limit. */
    view_time_limit_ms: number;
  }
}

export {};
