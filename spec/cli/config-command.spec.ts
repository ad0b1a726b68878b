import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { workplace } from "./command.js";

interface Origin {
  readonly value: unknown;
  readonly from: string;
}

const parsed = (stdout: string): Readonly<Record<string, Origin>> =>
  JSON.parse(stdout) as Readonly<Record<string, Origin>>;

describe("rowhouse config", () => {
  const place = workplace();

  it("shows each effective value with its source", async () => {
    await place.database("a.db");
    place.write({
      "rowhouse.yaml": [
        "files: [a.db]",
        "port: 8002",
        "host: 0.0.0.0",
        "settings: { max_returned_rows: 7, default_page_size: 3 }",
        "databases: { a: { allow_sql: false, tables: { t: { title: Rows } } } }",
      ].join("\n"),
    });

    const { stdout, code } = await place.call(
      ["config", "-p", "8003", "-s", "default_page_size", "5", "-s", "databases.a.allow_sql", "true"],
      { ROWHOUSE_LOAD_EXTENSION: "spatialite" },
    );

    expect(parsed(stdout)).to.deep.include({
      files: { value: ["a.db"], from: "rowhouse.yaml" },
      port: { value: 8003, from: "the command line" },
      host: { value: "0.0.0.0", from: "rowhouse.yaml" },
      loadExtension: { value: ["spatialite"], from: "the environment" },
      "settings.max_returned_rows": { value: 7, from: "rowhouse.yaml" },
      "settings.default_page_size": { value: "5", from: "the command line" },
      "databases.a.allow_sql": { value: true, from: "the command line" },
      "databases.a.tables.t.title": { value: "Rows", from: "rowhouse.yaml" },
    });
    expect(code).to.equal(0);
  });

  for (const password of ["hunter2", "hunt/er2", "hunt?er2", "hunt@er2", "hunt:er2"]) {
    it(`refuses the address of a database with the password ${password}, and does not show it`, async () => {
      const { stdout, stderr, code } = await place.call(["config", `postgres://ann:${password}@db1/shop`]);

      expect(code).not.to.equal(0);
      expect(stderr).to.contain("must not contain a password");
      expect(stdout + stderr).not.to.contain("er2");
    });
  }

  it("shows no secret, only the place of a secret", async () => {
    place.write({
      "secret.json": {
        secret: ["plain-secret-text", { $env: "MY_SECRET" }],
        plugins: {
          auth: { client_secret: "hidden-one", redirect: "/", token: { $env: "TOKEN" } },
          charts: false,
        },
        databases: { a: { plugins: { auth: { password: "hidden-two" } } } },
      },
    });
    chmodSync(join(place.folder, "secret.json"), 0o600);

    const { stdout, stderr } = await place.call(["config", "-c", "secret.json", "--secret", "flag-secret"], {
      MY_SECRET: "of-the-environment",
      TOKEN: "token-text",
    });

    expect(parsed(stdout)).to.deep.include({
      secret: { value: ["***"], from: "the command line" },
      "plugins.auth.client_secret": { value: "***", from: "secret.json" },
      "plugins.auth.redirect": { value: "/", from: "secret.json" },
      "plugins.auth.token": { value: { $env: "TOKEN" }, from: "secret.json" },
      "plugins.charts": { value: false, from: "secret.json" },
      "databases.a.plugins.auth.password": { value: "***", from: "secret.json" },
    });
    for (const secret of ["plain-secret", "hidden-", "flag-secret", "of-the-environment", "token-text"])
      expect(stdout + stderr).not.to.include(secret);
  });

  it("fails for a setting that serve would refuse, after it has shown it", async () => {
    place.write({ "mistaken.yaml": "settings: { max_returned_rowz: 7 }" });

    const { stdout, stderr, code } = await place.call(["config", "-c", "mistaken.yaml"]);

    expect(parsed(stdout)).to.have.property("settings.max_returned_rowz");
    expect(stderr).to.contain(
      "Invalid value for 'settings' in mistaken.yaml: max_returned_rowz is not a valid option (--help-settings to see all). Did you mean max_returned_rows?",
    );
    expect(code).to.equal(2);
  });

  it("reads a configuration directory, naming it", async () => {
    await place.database("site/b.db");
    place.write({ "site/settings.json": { default_page_size: 9 } });

    const { stdout } = await place.call(["config", "site"]);

    expect(parsed(stdout)).to.deep.include({
      "settings.default_page_size": { value: 9, from: "the directory site" },
    });
  });
});

describe("a configuration file that is code", () => {
  const place = workplace();
  const source = `import { defineConfig } from "rowhouse/config";
    export default defineConfig({ settings: { max_returned_rows: 7 } });`;

  it("imports defineConfig, wherever it lies", async () => {
    place.write({ "rowhouse.config.mjs": source });

    const { stdout } = await place.call(["config"]);

    expect(parsed(stdout)).to.deep.equal({
      "settings.max_returned_rows": { value: 7, from: "rowhouse.config.mjs" },
    });
  });

  it("may be TypeScript if Node reads it; otherwise the error names what is needed", async () => {
    place.write({ "typed.ts": source.replace("7", "7 as number") });

    const { stdout, stderr, code } = await place.call(["config", "-c", "typed.ts"]);

    const { typescript } = process.features as { readonly typescript?: unknown };
    if (typescript) return expect(parsed(stdout)).to.have.property("settings.max_returned_rows");
    expect(stderr).to.equal(
      `Error: Could not read typed.ts: TypeScript needs Node 22.18 or later, this is ${process.version}. ` +
        "Or install typescript@6 beside Rowhouse, or write rowhouse.config.mjs\n",
    );
    expect(code).to.equal(1);
    return undefined;
  });
});
