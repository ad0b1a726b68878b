// Adds a subcommand of `rowhouse`.
// Try: rowhouse greet Ann
// Says: Hello, Ann
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "greet",
  register_commands: () => ({
    command: "greet <name>",
    describe: "Say hello",
    handler: ({ name }: { readonly name: string }) => console.log(`Hello, ${name}`),
  }),
});
