import { expect } from "chai";
import { defineConfig, type RowhouseConfig } from "rowhouse/config";
import type { Choices } from "../../cli/arguments/choices.js";
import { serveOptions } from "../../cli/arguments/serve-options.js";

/** What only a command line can say, and what has another name in a file. */
type Elsewhere =
  | "get"
  | "headers"
  | "token"
  | "actor"
  | "helpSettings"
  | "pdb"
  | "config"
  | "noConfig"
  | "layers"
  | "onlyPlugins";
type Untyped = Exclude<Exclude<keyof Choices, Elsewhere>, keyof RowhouseConfig>;

describe("the type of configuration files", () => {
  it("contains all keys", () => {
    // A key it lacks would make this line a compile error.
    const untyped: [Untyped] extends [never] ? readonly string[] : never = [];

    expect(untyped).to.deep.equal([]);
    expect(serveOptions.length).to.be.above(20);
  });

  it("checks the types of settings and plugins, and rejects others", () => {
    const config = defineConfig({
      files: ["a.db"],
      settings: { sql_time_limit_ms: 3000, my_plugin_setting: true },
      plugins: { charts: false, "auth-github": { client_id: { $env: "ID" } } },
      // @ts-expect-error a port is a number
      port: "8001",
    });

    expect(config.settings?.sql_time_limit_ms).to.equal(3000);
  });
});
