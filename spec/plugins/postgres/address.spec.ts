import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { parseAddress } from "../../../plugins/postgres/connect/address.js";
import { findPassword } from "../../../plugins/postgres/connect/password.js";
import { failure } from "../../harness/failures.js";
import { rowhouseFor } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

describe("the address of a PostgreSQL database", () => {
  it("names hosts, user, database, schema and role", () => {
    expect(
      parseAddress("postgres://an%40n@db1,db2:5433,[::1]:5434/shop?schema=sales&read_role=guest"),
    ).to.deep.equal({
      hosts: [
        { host: "db1", port: 5432 },
        { host: "db2", port: 5433 },
        { host: "::1", port: 5434 },
      ],
      user: "an@n",
      database: "shop",
      schema: "sales",
      readRole: "guest",
      sslMode: "verify-full",
      sslRootCert: null,
      poolsTransactions: false,
    });
    expect(parseAddress("postgresql://ann@/shop?host=/run/pg&port=6000").hosts).to.deep.equal([
      { host: "/run/pg", port: 6000 },
    ]);
  });

  it("is encrypted and verified unless the server is local or the address says otherwise", () => {
    expect(parseAddress("postgres://a@localhost/b").sslMode).to.equal("disable");
    expect(parseAddress("postgres://a@10.0.0.1/b").sslMode).to.equal("verify-full");
    expect(parseAddress("postgres://a@10.0.0.1/b?sslmode=require").sslMode).to.equal("require");
  });

  for (const [uri, reason] of [
    ["postgres://ann:secret@db1/shop", "contains a password"],
    ["postgres://db1/shop", "names no user"],
    ["postgres://ann@db1/shop?pasword=x", "unknown argument pasword"],
    ["postgres://ann@db1/shop?sslmode=maybe", "sslmode"],
    ["postgres://ann@db1/shop?pooler=statement", "pooler must be"],
    ["postgres:shop", "it has no //"],
    ["postgres://ann:se/secret@db1/shop", "contains a password"],
    ["postgres://ann:se?secret@db1/shop", "contains a password"],
    ["postgres://ann:se@secret@db1/shop", "contains a password"],
    ["postgres://ann@db1:70000/shop", "70000 is not a port"],
    ["postgres://ann@/shop?host=/run/pg&port=x", "x is not a port"],
    ["postgres://ann@db1/100%", "100% is not percent-encoded"],
  ] as const) {
    it(`is refused if it ${reason}: ${uri}`, () => {
      expect(() => parseAddress(uri))
        .to.throw(reason)
        .with.property("message")
        .that.does.not.contain("secret");
    });
  }
});

describe("the password of a PostgreSQL login", () => {
  const host = { host: "db1", port: 5432 };
  const login = { user: "ann", database: "shop" };
  let folder: string;
  before(async () => (folder = await mkdtemp(join(tmpdir(), "rowhouse-pgpass-"))));
  after(() => rm(folder, { recursive: true, force: true }));

  const file = async (text: string, mode = 0o600): Promise<string> => {
    const path = join(folder, "pgpass");
    await writeFile(path, text);
    await chmod(path, mode);
    return path;
  };
  const found = (env: Record<string, string>, configured: string | null = null) =>
    findPassword({ configured, env: (name) => env[name] ?? null }, host, login);

  it("comes from the configuration, else PGPASSWORD, else the file PGPASSFILE", async () => {
    const path = await file("# a comment\nother:*:*:*:no\ndb1:5432:*:ann:with\\:colon\n*:*:*:*:last\n");

    expect(await found({ PGPASSWORD: "b", PGPASSFILE: path }, "a")).to.equal("a");
    expect(await found({ PGPASSWORD: "b", PGPASSFILE: path })).to.equal("b");
    expect(await found({ PGPASSFILE: path })).to.equal("with:colon");
  });

  it("is not read from a file that others may read", async () => {
    const path = await file("*:*:*:*:open\n", 0o644);
    expect((await failure(found({ PGPASSFILE: path }))).message).to.contain("may be read by others");
  });
});

const secretSources = (password: string | null) => ({
  env: (name: string) => (name === "PGPASSWORD" ? password : null),
  file: () => "",
});

describePostgres("a PostgreSQL login with a password", (server) => {
  it("works with one, and is refused without, in words that name no secret", async () => {
    const uri = await server().createDatabase(
      "create table t (id int primary key); insert into t values (1)",
    );
    await server().run(
      "create role locked login password 'open sesame'; grant select on t to locked",
      "spec_1",
    );
    const path = join(server().folder, "data", "pg_hba.conf");
    await writeFile(path, "host all locked 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n");
    await server().run("select pg_reload_conf()");
    const location = { uri: uri.replace("rowhouse@", "locked@"), name: "shop", mutable: true };
    const right = await rowhouseFor({ options: { secretSources: secretSources("open sesame") } });
    const wrong = await rowhouseFor({ options: { secretSources: secretSources("close sesame") } });

    await right.rowhouse.addDatabase(location);
    const error = await failure(wrong.rowhouse.addDatabase(location));

    expect((await right.get("/shop/t.json")).status).to.equal(200);
    expect(error.message).to.contain("rejected the login").and.not.to.contain("sesame");
    const shown = [
      await right.get("/-/databases.json"),
      await right.get("/shop"),
      await right.get("/-/config.json"),
    ];
    expect(shown.map(({ text }) => text).join("")).not.to.contain("sesame");
    expect(right.logged.join("")).not.to.contain("sesame");
  });
});

describePostgres("a PostgreSQL database that does not exist", (server) => {
  it("is named as the reason why it can't be opened", async () => {
    const { rowhouse } = await rowhouseFor();
    const error = await failure(
      rowhouse.addDatabase({ uri: server().url("nothing"), name: "shop", mutable: true }),
    );

    expect(error.message).to.match(/nothing: The server has no database with this name\.$/);
  });
});

describePostgres("the schema of a PostgreSQL database", (server) => {
  it("must exist, and be one that the login may use", async () => {
    const uri = await server().createDatabase(
      "create schema hidden; create role visitor login; revoke usage on schema public from public",
    );
    const { rowhouse } = await rowhouseFor();
    const open = (one: string) => failure(rowhouse.addDatabase({ uri: one, name: "shop", mutable: true }));

    const missing = await open(`${uri}?schema=hiden`);
    const closed = await open(`${uri.replace("rowhouse@", "visitor@")}?schema=hidden`);

    expect(missing.message).to.contain("The database has no schema hiden");
    expect(closed.message).to.contain("The login visitor may not use the schema hidden");
  });
});
