import type { Log } from "rowhouse/plugin-api";
import type { PartialChoices } from "../arguments/choices.js";

/** What a process decides once, when it starts. */
const FIXED = ["host", "port", "uds", "workers", "pidFile"] as const;

/** Warns about choices that changed and that a reload can't change. */
export function warnAboutFixedChoices(before: PartialChoices, after: PartialChoices, log: Log): void {
  const changed = FIXED.filter((key) => before[key] !== after[key]);
  if ((before.sslCertfile === undefined) !== (after.sslCertfile === undefined))
    log.warn("A reload can't turn https on or off: restart the server");
  if (changed.length > 0) log.warn(`A reload can't change ${changed.join(", ")}: restart the server`);
}
