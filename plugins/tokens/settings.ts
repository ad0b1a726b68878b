import type { Setting } from "rowhouse/plugin-api";

/** What the person running the server decides about tokens. */
export const tokenSettings: readonly Setting[] = [
  {
    name: "allow_signed_tokens",
    default: true,
    help: "Allow users to create and use signed API tokens",
  },
  {
    name: "max_signed_tokens_ttl",
    default: 0,
    help: "Maximum allowed expiry time for signed API tokens",
  },
  {
    name: "restrictions_imply_parents",
    default: false,
    help: "A token restricted to a table may also see the pages of its database and of the instance",
    unlisted: true,
  },
];
