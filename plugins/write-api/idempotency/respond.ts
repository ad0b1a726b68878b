import type { Reply } from "rowhouse/plugin-api";
import type { WriteVisit } from "../authorize-write.js";
import { perform, tell } from "../operation.js";
import type { Outcome, WriteOperation } from "../operation.js";
import { transact } from "../transact.js";
import type { OnceOnly } from "./idempotency-key.js";
import { answerOnce } from "./idempotency-store.js";

/** Runs an operation as `perform` does, or only tells how it was answered before. */
export async function respond(
  visit: WriteVisit,
  operation: WriteOperation,
  { once, describe }: { readonly once: OnceOnly | null; describe(outcome: Outcome): Reply },
): Promise<Reply> {
  if (once === null) return describe(await perform(visit, operation));
  let outcome: Outcome | null = null;
  const { database, table, dryRun = false, schema = null } = operation;
  const { reply, isNew } = await transact(visit, { database, table, dryRun, schema }, (transaction) =>
    answerOnce(transaction, once, async () => {
      outcome = await operation.run(transaction);
      return describe(outcome);
    }),
  );
  if (isNew && outcome !== null) await tell(visit, operation, outcome);
  return reply;
}
