import type { Bundle } from "rowhouse/plugin-api";

/** Says what a secret that was made up means for those who have signed in. */
export function adviseOnSecret({ secretIsNew }: Pick<Bundle, "secretIsNew">): void {
  if (!secretIsNew) return;
  process.stderr.write(
    "No secret was given, so there is a new one: tokens and cookies of an earlier publication end " +
      "(--secret or ROWHOUSE_PUBLISH_SECRET keeps them)\n",
  );
}
