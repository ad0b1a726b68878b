import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { failure } from "../../harness/failures.js";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

const IDLE_LIMIT_MS = 150;

/** Between Rowhouse and a server. While it holds what the server sends, Rowhouse does not know that a session has ended. */
class SlowNetwork {
  #held: (() => void)[] | null = null;
  readonly #clients: Socket[] = [];

  private constructor(private readonly listener: Server) {}

  static async before(port: number): Promise<SlowNetwork> {
    const network: SlowNetwork = new SlowNetwork(
      createServer((client) => {
        const server = connect(port, "127.0.0.1");
        network.#clients.push(client);
        client.on("error", () => undefined).on("close", () => server.destroy());
        client.on("data", (bytes) => server.write(bytes));
        server.on("error", () => undefined).on("end", () => network.#pass(() => client.end()));
        server.on("data", (bytes) => network.#pass(() => client.write(bytes)));
      }),
    );
    await new Promise<void>((resolve) => network.listener.listen(0, "127.0.0.1", resolve));
    return network;
  }

  get port(): number {
    return (this.listener.address() as AddressInfo).port;
  }

  hold(): void {
    this.#held = [];
  }

  release(): void {
    for (const send of this.#held ?? []) send();
    this.#held = null;
  }

  /** Settles when Rowhouse has closed its first connection. */
  async firstCloses(): Promise<void> {
    const [first] = this.#clients;
    if (first !== undefined && !first.destroyed) await once(first, "close");
  }

  close(): void {
    this.listener.close();
  }

  #pass(send: () => void): void {
    if (this.#held === null) send();
    else this.#held.push(send);
  }
}

describePostgres("a session that PostgreSQL ends because it was idle", (server) => {
  let rowhouse: TestRowhouse;
  let network: SlowNetwork;
  let database = "";
  beforeEach(async () => {
    const uri = await server().createDatabase("create table notes (id int primary key)");
    database = uri.split("/").at(-1) ?? "";
    await server().run(`alter database ${database} set idle_session_timeout to ${IDLE_LIMIT_MS}`);
    network = await SlowNetwork.before(server().port);
    rowhouse = await rowhouseFor();
    const address = uri.replace(String(server().port), String(network.port));
    await rowhouse.rowhouse.addDatabase({ uri: address, name: "shop", mutable: true });
  });
  afterEach(() => network.close());

  const insert = (id: number) => rowhouse.post("/shop/notes/-/insert", { as: "root", json: { row: { id } } });

  async function whileEnding<T>(request: () => Promise<T>): Promise<T> {
    network.hold();
    await sleep(IDLE_LIMIT_MS * 2);
    const reply = request();
    await sleep(IDLE_LIMIT_MS / 3);
    network.release();
    return reply;
  }

  it("is replaced for a read that was sent meanwhile", async () => {
    await rowhouse.get("/shop/notes.json");
    const { status, text } = await whileEnding(() => rowhouse.get("/shop/notes.json?_size=1"));

    expect(status, text).to.equal(200);
  });

  it("is replaced for an insert that was sent meanwhile, which is stored once", async () => {
    await insert(1);
    const { status, text } = await whileEnding(() => insert(2));

    expect(status, text).to.equal(201);
    expect(await server().run("select id from notes", database)).to.deep.equal([{ id: 1 }, { id: 2 }]);
  });
});

describePostgres("a session whose server does not answer any more", (server) => {
  it("is ended, and its read is repeated", async () => {
    const uri = await server().createDatabase("create table notes (id int primary key)");
    const network = await SlowNetwork.before(server().port);
    const rowhouse = await rowhouseFor();
    const address = uri.replace(String(server().port), String(network.port));
    await rowhouse.rowhouse.addDatabase({ uri: address, name: "shop", mutable: true });
    await rowhouse.get("/shop/notes.json");

    network.hold();
    const reading = rowhouse.get("/shop/notes.json?_size=1");
    await network.firstCloses();
    network.release();

    expect((await reading).status).to.equal(200);
    network.close();
  }).timeout(60_000);
});

describe("a PostgreSQL server that accepts connections and does not answer", () => {
  it("gets one connection for a read, because the next one takes as long", async () => {
    let connections = 0;
    const silent = createServer(() => (connections += 1)).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const rowhouse = await rowhouseFor();
    const { port } = silent.address() as AddressInfo;

    const uri = `postgres://ann@127.0.0.1:${port}/shop`;
    const error = await failure(rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true }));

    expect(error.message).to.include("The database server can't be reached.");
    expect(connections).to.equal(1);
    silent.close();
  });
});
