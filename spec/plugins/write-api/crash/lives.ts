import { once } from "node:events";
import { Agent, request, type IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { openRaw, type RawDatabase } from "../../../harness/raw-sqlite.js";
import { Client, madeTable, type Operation, type Share } from "./client.js";
import { randomFrom } from "./random.js";
import type { ServedFile, Victim } from "./served-file.js";

/** What became of the requests of many lives, by kind. */
export interface Census {
  readonly acknowledged: Map<string, number>;
  /** Cut off by the kill, and found done. */
  readonly done: Map<string, number>;
  /** Cut off by the kill, and found undone. */
  readonly undone: Map<string, number>;
}

export const emptyCensus = (): Census => ({ acknowledged: new Map(), done: new Map(), undone: new Map() });

export interface Lives {
  readonly file: ServedFile;
  readonly seed: number;
  /** True while another server is to be started and killed. */
  readonly another: () => boolean;
  readonly census: Census;
}

const CLIENTS = 5;
const LONGEST_LIFE_MS = 40;

/**
 * Starts a server on the file, writes, kills it, looks whether everything is there, and so on.
 *
 * @throws AssertionError when something that was acknowledged is missing, or half of anything is there
 */
export async function liveAndDie({ file, seed, another, census }: Lives): Promise<void> {
  const random = randomFrom(seed);
  const clients = Array.from(
    { length: CLIENTS },
    (_, index) => new Client(index + 1, randomFrom(seed + index)),
  );
  let looksFirst = true;
  while (another()) {
    const victim = await file.start();
    // Every other time the next server is the first to open what the last one left behind.
    if (!looksFirst) await settle(file, clients, census);
    const writing = clients.map((client) => write(client, victim, census));
    const load = Promise.all(writing.map(({ ended }) => ended));
    // Most lives begin with an answer; the others end wherever the very first requests are.
    if (random.fraction() < 0.9) await Promise.race(writing.map(({ answered }) => answered));
    await sleep(random.between(0, LONGEST_LIFE_MS));
    await victim.kill();
    await load;
    looksFirst = !looksFirst;
    if (looksFirst) await settle(file, clients, census);
  }
  await settle(file, clients, census);
}

interface Writing {
  /** The first answer, or the end. */
  readonly answered: Promise<void>;
  readonly ended: Promise<void>;
}

/** One request after the other until the server is dead. */
function write(client: Client, { port }: Victim, census: Census): Writing {
  const agent = new Agent({ keepAlive: true });
  const ask = async (): Promise<boolean> => {
    const operation = client.next();
    client.unanswered = operation;
    const reply = await post(agent, port, operation).catch(() => null);
    if (reply === null) return false;
    expect(reply, operation.kind).to.have.property("status", operation.status);
    client.share = operation.after;
    client.unanswered = null;
    count(census.acknowledged, operation);
    return true;
  };
  const first = ask();
  const goOn = async (): Promise<void> => {
    for (let answered = await first; answered; answered = await ask());
    agent.destroy();
  };
  return { answered: first.then(() => undefined), ended: goOn() };
}

const count = (numbers: Map<string, number>, { kind }: Operation): void =>
  void numbers.set(kind, (numbers.get(kind) ?? 0) + 1);

async function post(
  agent: Agent,
  port: number,
  { path, body }: Operation,
): Promise<{ readonly status: number | undefined; readonly text: string }> {
  const isLines = typeof body === "string";
  const headers = { "content-type": isLines ? "application/x-ndjson" : "application/json" };
  const sent = request({ host: "127.0.0.1", port, path, method: "POST", agent, headers });
  sent.end(isLines ? body : JSON.stringify(body));
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  let text = "";
  for await (const piece of response.setEncoding("utf8")) text += piece as string;
  return { status: response.statusCode, text };
}

/** The file is valid. It has all confirmed writes of each client, and the others completely or not at all. */
async function settle(file: ServedFile, clients: readonly Client[], census: Census): Promise<void> {
  const raw = await openRaw(file.path);
  try {
    expect(await raw.all("pragma integrity_check")).to.deep.equal([{ integrity_check: "ok" }]);
    for (const client of clients) settleOne(client, await storedShare(raw, client), census);
  } finally {
    await raw.close();
  }
}

function settleOne(client: Client, stored: Share, census: Census): void {
  const { share, unanswered } = client;
  client.unanswered = null;
  if (unanswered !== null && isSame(stored, unanswered.after) && unanswered.after !== share) {
    client.share = unanswered.after;
    count(census.done, unanswered);
    return;
  }
  expect(plain(stored), `client ${client.index}, cut off in ${unanswered?.kind ?? "nothing"}`).to.deep.equal(
    plain(share),
  );
  if (unanswered !== null) count(census.undone, unanswered);
}

const plain = ({ goods, tables }: Share): object => ({ goods: [...goods].toSorted(byFirst), tables });

const byFirst = ([left]: readonly [number, unknown], [right]: readonly [number, unknown]): number =>
  left - right;

const isSame = (left: Share, right: Share): boolean =>
  sameEntries(left.tables, right.tables, (a, b) => a === b) &&
  sameEntries(left.goods, right.goods, (a, b) => a.word === b.word && a.amount === b.amount);

const sameEntries = <Key, Value>(
  left: ReadonlyMap<Key, Value>,
  right: ReadonlyMap<Key, Value>,
  same: (left: Value, right: Value) => boolean,
): boolean =>
  left.size === right.size &&
  [...left].every(([key, value]) => {
    const other = right.get(key);
    return other !== undefined && same(value, other);
  });

async function storedShare(raw: RawDatabase, { index }: Client): Promise<Share> {
  const goods = new Map<number, { word: string; amount: number }>();
  for (const row of await raw.all(`select id, word, amount from goods where owner = ${index}`)) {
    goods.set(Number(row["id"]), { word: String(row["word"]), amount: Number(row["amount"]) });
  }
  const [tally] = await raw.all(`select coalesce(sum(goods), 0) as n from tally where owner = ${index}`);
  expect(goods.size, "the trigger's count").to.equal(tally?.["n"]);
  const tables = new Map<string, string>();
  const named = `select name from sqlite_schema where type = 'table' and name like 'made!_${index}%' escape '!'`;
  for (const { name } of await raw.all(named)) {
    const columns = await raw.all(`select name from pragma_table_info('${String(name)}')`);
    const [rows] = await raw.all(`select count(*) as n from "${String(name)}"`);
    tables.set(
      String(name),
      madeTable(
        columns.map((column) => String(column["name"])),
        Number(rows?.["n"]),
      ),
    );
  }
  return { goods, tables };
}
