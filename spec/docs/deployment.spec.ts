import { execFile, execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { get as httpGet, type IncomingMessage, type RequestOptions } from "node:http";
import { get as httpsGet } from "node:https";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { parse } from "yaml";
import { launcher, workplace, type Serving } from "../cli/command.js";
import { freePort } from "../harness/free-port.js";
import { until } from "../harness/until.js";

const FOLDER = fileURLToPath(new URL("../../../docs/deployment/", import.meta.url));
const isRequired = process.env["ROWHOUSE_REQUIRE_PROXIES"] === "1";

const fileText = (name: string): string => readFileSync(join(FOLDER, name), "utf8");

const isInstalled = (program: string): boolean => spawnSync("which", [program]).status === 0;

/** The instructions of a Dockerfile, each with its keyword. */
const instructions = fileText("Dockerfile")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => {
    const [keyword = "", ...words] = line.split(" ");
    return { keyword, value: words.join(" ") };
  });

const last = (keyword: string): string =>
  instructions.findLast((one) => one.keyword === keyword)?.value ?? "";
const wordsOf = (value: string): readonly string[] => JSON.parse(value.slice(value.indexOf("["))) as string[];

describe("docs/deployment", function () {
  this.timeout(120_000);
  const place = workplace();
  const children: ChildProcess[] = [];
  let server: Serving;
  let upstream = "";

  before(async () => {
    await place.database(
      "library.db",
      `create table books (id integer primary key, title text); insert into books values (1, 'Emma'), (2, 'Ulysses');
       create table big as with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
         select i, hex(zeroblob(500)) as filler from n;`,
    );
    place.write({
      "metadata.json": { permissions: { "insert-row": true } },
    });
    const settings = ["-s", "max_requests", "60", "-s", "max_insert_stream_mb", "100"];
    server = await place.serve(["library.db", "-m", "metadata.json", "--no-config", ...settings]);
    upstream = new URL(server.url).host;
  });

  after(() => children.forEach((child) => child.kill("SIGKILL")));

  /** Starts a proxy that runs in the foreground, and waits until it answers. */
  async function start(
    program: string,
    words: readonly string[],
    ready: () => Promise<unknown>,
  ): Promise<void> {
    let said = "";
    const child = spawn(program, words, {
      cwd: place.folder,
      env: { PATH: process.env["PATH"], HOME: place.folder },
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.push(child);
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text) => (said += String(text)));
    await until(async () => {
      if (child.exitCode !== null) throw new Error(said);
      return ready().then(
        () => true,
        () => false,
      );
    });
  }

  /** What every proxy must let through. */
  async function expectTransparent(
    get: (path: string) => Promise<IncomingMessage>,
    origin: string,
  ): Promise<void> {
    const page = JSON.parse(await bodyOf(await get("/library/books.json?_size=1"))) as { next_url: string };
    expect(page.next_url).to.match(new RegExp(`^${origin}/library/books\\.json\\?`));

    const long = await get(
      `/library.json?_shape=arrayfirst&sql=${encodeURIComponent(`select 1 -- ${"x".repeat(20_000)}`)}`,
    );
    expect([long.statusCode, await bodyOf(long)]).to.deep.equal([200, "[1]"]);

    const stream = await get("/library/big.csv?_stream=on");
    let bytes = 0;
    for await (const piece of stream) bytes += (piece as Buffer).length;
    expect(bytes).to.be.above(20_000_000);

    // The limit is that of this client, not that of all clients of the proxy.
    const [limited, direct] = await Promise.all([
      get("/library/books.json"),
      fetch(`${server.url}/library/books.json`),
    ]);
    limited.resume();
    expect(left(limited.headers["ratelimit"])).to.be.below(59);
    expect(left(direct.headers.get("ratelimit"))).to.be.above(left(limited.headers["ratelimit"]));
  }

  it("has a configuration of nginx that lets everything through", async function () {
    if (!isInstalled("nginx") && !isRequired) this.skip();
    const port = await freePort();
    await promisify(execFile)("openssl", [
      ..."req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=data.example.org".split(" "),
      "-keyout",
      join(place.folder, "data.key"),
      "-out",
      join(place.folder, "data.pem"),
    ]);
    const site = fileText("nginx.conf")
      .replace("listen 443 ssl", `listen 127.0.0.2:${port} ssl`)
      .replace("127.0.0.1:8001", upstream)
      .replaceAll("/etc/ssl/data.example.org.", `${place.folder}/data.`);
    const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${place.folder}/${name};`,
    );
    const whole = `daemon off; pid nginx.pid; error_log stderr; user ${process.getuid?.() === 0 ? "root" : "nobody"};
      events {} http { access_log off; ${folders.join(" ")} ${site} }`;
    writeFileSync(join(place.folder, "nginx.conf"), whole);
    const get = (path: string): Promise<IncomingMessage> =>
      ask(httpsGet, { host: "127.0.0.2", port, path, localAddress: "127.0.0.3", rejectUnauthorized: false });
    await start("nginx", ["-p", place.folder, "-c", "nginx.conf", "-e", "stderr"], () => get("/-/health"));

    await expectTransparent(get, `https://data.example.org:${port}`);
  });

  it("has a configuration of Caddy that lets everything through", async function () {
    if (!isInstalled("caddy") && !isRequired) this.skip();
    const port = await freePort();
    // Without a certificate, which Caddy would get from a public authority.
    const site = fileText("Caddyfile")
      .replace("data.example.org", `http://data.example.org:${port}`)
      .replace("127.0.0.1:8001", upstream);
    writeFileSync(join(place.folder, "Caddyfile"), `{\n\tadmin off\n}\n${site}`);
    const get = (path: string): Promise<IncomingMessage> =>
      ask(httpGet, { host: "127.0.0.1", port, path, localAddress: "127.0.0.4" });
    await start("caddy", ["run", "--config", "Caddyfile"], () => get("/-/health"));

    await expectTransparent(get, `http://data.example.org:${port}`);
  });

  it("has a Dockerfile of two stages without root, whose health check and command work", async () => {
    const keywords = instructions.map(({ keyword }) => keyword);
    const [command = "", ...words] = wordsOf(last("CMD"));
    const health = wordsOf(last("HEALTHCHECK")).map((word) => word.replace("127.0.0.1:8001", upstream));

    expect(keywords.filter((keyword) => keyword === "FROM")).to.have.length(2);
    expect(last("USER")).to.equal("node");
    expect(keywords.indexOf("USER")).to.be.below(keywords.indexOf("CMD"));
    expect(last("EXPOSE")).to.equal("8001");
    expect(instructions.some(({ value }) => value === "npm ci --omit=dev")).to.equal(true);
    expect(command).to.equal("node");
    expect(words[0]).to.match(/^node_modules\/rowhouse\/dist\/cli\/rowhouse\.cjs$/);
    expect(launcher.endsWith("dist/cli/rowhouse.cjs")).to.equal(true);
    const { stdout } = await place.run(["config", ...words.slice(1), "--no-config"]);
    expect(JSON.parse(stdout)).to.have.property("host");

    const isHealthy = (): Promise<boolean> =>
      promisify(execFile)(process.execPath, health.slice(1)).then(
        () => true,
        () => false,
      );
    expect(await isHealthy()).to.equal(true);
    await server.stop();
    expect(await isHealthy()).to.equal(false);
  });

  it("has a compose file that needs a secret, and gives more time than shutdown_grace_ms", () => {
    const { services } = parse(fileText("compose.yaml")) as {
      readonly services: { readonly rowhouse: Readonly<Record<string, unknown>> };
    };

    expect(services.rowhouse).to.include({
      build: ".",
      init: true,
      read_only: true,
      stop_grace_period: "15s",
    });
    expect(services.rowhouse["environment"]).to.deep.equal({ ROWHOUSE_SECRET: "${ROWHOUSE_SECRET:?}" });
    expect(services.rowhouse["volumes"]).to.deep.equal([`data:${last("VOLUME")}`]);
  });

  it("has a unit that systemd accepts", function () {
    if (!isInstalled("systemd-analyze") && !isRequired) this.skip();
    const unit = fileText("rowhouse.service")
      .replace("User=rowhouse", "User=daemon")
      .replace("/srv/library/node_modules/.bin/rowhouse", process.execPath)
      .replaceAll("/srv/library", place.folder);
    const path = join(place.folder, "rowhouse.service");
    writeFileSync(path, unit);

    expect(execFileSync("systemd-analyze", ["verify", path], { encoding: "utf8" })).to.equal("");
    expect(dirname(path)).to.equal(place.folder);
  });
});

/** What is left of the limit of requests. */
const left = (header: unknown): number => Number(/r=(\d+)/.exec(String(header))?.[1]);

const ask = (
  get: typeof httpGet | typeof httpsGet,
  options: RequestOptions & { readonly rejectUnauthorized?: boolean },
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get({ ...options, headers: { host: `data.example.org:${options.port}` } }, resolve).once("error", reject);
  });

async function bodyOf(reply: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of reply) text += String(piece);
  return text;
}
