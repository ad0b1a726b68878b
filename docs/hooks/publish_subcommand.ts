// Adds a target to `rowhouse publish`: a folder on this machine.
// Try: rowhouse publish folder --to site --dry-run --title Library
// Says: package.json, Dockerfile, metadata.json
// Try: rowhouse publish --help
// Says: rowhouse publish folder [files..]
import { definePlugin, StartupError } from "rowhouse/plugin-api";
import type { Bundle, PublishTarget } from "rowhouse/plugin-api/contracts";

const folder: PublishTarget = {
  name: "folder",
  describe: "A folder of this machine",
  options: {
    to: { type: "string", nargs: 1, describe: "Where to write the site [DIRECTORY]" },
    "dry-run": { type: "boolean", describe: "Only list what would be made" },
  },
  handler: async (bundle: Bundle, { to, dryRun }: { readonly to?: string; readonly dryRun?: boolean }) => {
    if (to === undefined) throw new StartupError("Missing option '--to'.", 2);
    const site = bundle.with({ settings: { default_cache_ttl: "60" } });
    if (dryRun) return console.log(Object.keys(site.generated).join(", "));
    await site.write(to);
    console.log(`rowhouse serve ${site.serve.join(" ")}`);
  },
};

export default definePlugin({
  name: "publish-to-folder",
  publish_subcommand: (_rowhouse, { publish }) => publish.target(folder),
});
