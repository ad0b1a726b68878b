declare module "../rowhouse.js" {
  interface Settings {
    /** Off: `execute-sql` is refused where nobody has an opinion. */
    default_allow_sql: boolean;
  }
  interface Options {
    /** Every registered default is deny: what nobody grants is refused. */
    defaultDeny: boolean;
  }
}

export {};
