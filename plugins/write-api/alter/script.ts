import type { Transaction } from "rowhouse/plugin-api";

/** Runs statements and keeps them, to be shown. */
export class Script {
  readonly statements: string[] = [];

  constructor(readonly transaction: Transaction) {}

  async run(sql: string): Promise<void> {
    this.statements.push(sql);
    await this.transaction.run(sql);
  }
}
