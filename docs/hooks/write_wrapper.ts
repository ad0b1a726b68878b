// Checks the data after each write, inside its transaction: an exception rolls the write back.
// Try: POST /library/authors/-/insert as root with {"row": {"name": "George Eliot"}}
// Says: The library is full
import { BadRequest, definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "full",
  write_wrapper: (_rowhouse, { table }) =>
    table === "authors"
      ? async (write) => {
          await write();
          throw new BadRequest("The library is full");
        }
      : null,
});
