declare module "../rowhouse.js" {
  interface Settings {
    /** Off: `execute-sql` is refused where nobody has an opinion. */
    default_allow_sql: boolean;
    /** Names that do not exist are refused as hidden ones are, wherever something is hidden from the visitor. */
    conceal_missing: boolean;
  }
  interface Options {
    /** Every registered default is deny: what nobody grants is refused. */
    defaultDeny: boolean;
  }
}

export {};
