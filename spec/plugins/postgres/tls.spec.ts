import { execFile } from "node:child_process";
import { chown, chmod, copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { failure } from "../../harness/failures.js";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres, serverOwner, type PostgresServer } from "../../harness/postgres.js";

const run = promisify(execFile);
const SECRET = "open sesame";

/** Makes a certificate that signs itself, and its key, in a folder that the server may read. */
async function certificate(
  folder: string,
  name: string,
): Promise<{ readonly cert: string; readonly key: string }> {
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  const subject = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`];
  await run("openssl", [
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-days",
    "2",
    ...subject,
    "-keyout",
    key,
    "-out",
    cert,
  ]);
  const { uid, gid } = await serverOwner();
  if (uid !== undefined && gid !== undefined) for (const file of [cert, key]) await chown(file, uid, gid);
  await chmod(key, 0o600);
  return { cert, key };
}

/** From now on the server takes only encrypted connections, with a password. */
async function encrypt(server: PostgresServer, folder: string, name: string): Promise<string> {
  const { cert, key } = await certificate(folder, name);
  await server.run(`alter system set ssl_cert_file to '${cert}'`);
  await server.run(`alter system set ssl_key_file to '${key}'`);
  await server.run("alter system set ssl to on");
  await writeFile(
    join(server.folder, "data", "pg_hba.conf"),
    "hostssl all locked 127.0.0.1/32 scram-sha-256\nhostnossl all locked all reject\nhost all all 127.0.0.1/32 trust\n",
  );
  await server.run("select pg_reload_conf()");
  return cert;
}

const isEncrypted = async ({ rowhouse }: TestRowhouse): Promise<unknown> => {
  const sql = "select ssl from pg_stat_ssl where pid = pg_backend_pid()";
  return Number((await rowhouse.database("shop").read(sql)).rows[0]?.[0]);
};

describePostgres("an encrypted connection to PostgreSQL", (server) => {
  let folder = "";
  let uri = "";
  let ours = "";
  let others = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "rowhouse-tls-"));
    await chmod(folder, 0o755);
    const local = await server().createDatabase(
      `create table t (id int primary key); insert into t values (1);
       create role locked login password '${SECRET}'; grant select, insert on t to locked`,
    );
    uri = local.replace("rowhouse@127.0.0.1", "locked@localhost");
    ours = await encrypt(server(), folder, "localhost");
    ({ cert: others } = await certificate(folder, "elsewhere"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const secretSources = { env: (name: string) => (name === "PGPASSWORD" ? SECRET : null), file: () => "" };
  const opened = async (args: string, address = uri): Promise<TestRowhouse> => {
    const rowhouse = await rowhouseFor({ options: { secretSources } });
    await rowhouse.rowhouse.addDatabase({ uri: address + args, name: "shop", mutable: true });
    return rowhouse;
  };
  it("needs no certificate with sslmode=require, and is refused by the server without encryption", async () => {
    const rowhouse = await opened("?sslmode=require");
    const plain = await failure(opened("?sslmode=disable"));

    expect(await isEncrypted(rowhouse)).to.equal(1);
    expect((await rowhouse.get("/shop/t.json")).status).to.equal(200);
    expect(plain.message).to.contain("rejected the login").and.not.to.contain(SECRET);
  });

  it("checks the certificate and the name of the server with sslmode=verify-full", async () => {
    const rowhouse = await opened(`?sslmode=verify-full&sslrootcert=${ours}`);
    const unknown = await failure(opened("?sslmode=verify-full"));
    const foreign = await failure(opened(`?sslmode=verify-full&sslrootcert=${others}`));
    const misnamed = await failure(
      opened(`?sslmode=verify-full&sslrootcert=${ours}`, uri.replace("localhost", "127.0.0.1")),
    );
    const missing = await failure(opened("?sslmode=verify-full&sslrootcert=/nowhere/ca.pem"));

    expect(await isEncrypted(rowhouse)).to.equal(1);
    for (const { message } of [unknown, foreign]) expect(message).to.contain("certificate");
    expect(misnamed.message).to.contain("certificate");
    expect(missing.message).to.contain("sslrootcert");
  });

  it("reads the certificate again if it could not be read when sessions for writes were needed", async () => {
    const copy = join(folder, "copy.crt");
    await copyFile(ours, copy);
    const rowhouse = await opened(`?sslmode=verify-full&sslrootcert=${copy}`);
    const insert = (id: number) => rowhouse.post("/shop/t/-/insert", { as: "root", json: { row: { id } } });

    await rm(copy);
    const without = await insert(2);
    await copyFile(ours, copy);
    const again = await insert(3);

    expect(without.status, without.text).to.equal(500);
    expect(again.status, again.text).to.equal(201);
  });

  it("carries cancellations too", async () => {
    const { rowhouse } = await opened(`?sslmode=verify-full&sslrootcert=${ours}`);
    const database = rowhouse.database("shop");
    const started = performance.now();
    const error = await failure(database.read("select pg_sleep(60)", [], { timeLimitMs: 100 }));

    expect(error.name).to.equal("QueryInterrupted");
    expect(performance.now() - started).to.be.below(30_000);
  });

  it("shows its password nowhere", async () => {
    const rowhouse = await opened("?sslmode=require");
    const texts = await Promise.all(
      [
        "/-/databases.json",
        "/-/config.json",
        "/-/settings.json",
        "/-/plugins.json",
        "/shop",
        "/shop/t",
        "/shop/nothing",
      ].map(async (path) => (await rowhouse.get(path, { as: "root" })).text),
    );
    await server().run("alter role locked password 'another'");
    const error = await failure(opened("?sslmode=require"));
    await server().run(`alter role locked password '${SECRET}'`);

    expect([...texts, error.stack, ...rowhouse.logged].join("\n")).not.to.contain(SECRET);
  });
});
