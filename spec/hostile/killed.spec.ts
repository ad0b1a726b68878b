import { join } from "node:path";
import { expect } from "chai";
import { workplace, type Serving } from "../cli/command.js";
import { openRaw } from "../harness/raw-sqlite.js";
import { rowhouseFor } from "../harness/index.js";
import { contentOf, send, type RequestOptions, type Sign, type TestReply } from "../harness/requests.js";

/** The secret of the harness, so that its signatures are valid here. */
const SECRET = "a secret of at least thirty-two bytes for specs";
const ROUNDS = 4;
const AT_ONCE = 12;

describe("A server that is killed while tokens are revoked and changes are written down", function () {
  this.timeout(300_000);
  const place = workplace();
  let sign: Sign;
  before(async () => {
    const { rowhouse } = await rowhouseFor();
    sign = (value, namespace) => rowhouse.sign(value, namespace);
  });

  const serve = (): Promise<Serving> =>
    place.serve(["t.db", "--internal", "internal.db", "--secret", SECRET, "--no-config"]);
  const ask = (
    { url }: Serving,
    method: string,
    path: string,
    options: RequestOptions = { as: "root" },
  ): Promise<TestReply> => send(Number(new URL(url).port), method, path, contentOf(options, sign));
  /** The only token of an actor, and the id under which it is listed. */
  const makeToken = async (server: Serving, as: string): Promise<readonly [id: string, token: string]> => {
    const { text } = await ask(server, "POST", "/-/create-token", { as, form: { expire_type: "" } });
    const [{ id }] = (await ask(server, "GET", "/-/tokens.json", { as })).json.tokens;
    return [id, /value="(rhtok_[^"]+)"/.exec(text)?.[1] ?? "none"];
  };
  const isSound = async (file: string): Promise<unknown> => {
    const database = await openRaw(join(place.folder, file));
    try {
      return (await database.all("pragma integrity_check"))[0]?.["integrity_check"];
    } finally {
      await database.close();
    }
  };

  it("has stored everything that it confirmed, also the log of changes", async () => {
    await place.database("t.db", "create table t (id integer primary key)");
    const [revoked, stored]: [string[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      const server = await serve();
      const tokens: (readonly [id: string, token: string])[] = [];
      for (let count = 0; count < AT_ONCE; count += 1) {
        tokens.push(await makeToken(server, `user-${round}-${count}`));
      }
      const acknowledged = (work: Promise<TestReply>, note: () => void): Promise<void> =>
        work
          .then(({ status }) => (status < 300 ? note() : undefined))
          .then(() => void server.process.kill("SIGKILL"))
          .catch(() => undefined);

      await Promise.all([
        ...tokens.map(([id, token]) =>
          acknowledged(ask(server, "POST", "/-/tokens", { as: "root", json: { id } }), () =>
            revoked.push(token),
          ),
        ),
        ...Array.from({ length: AT_ONCE }, (_, index) => {
          const id = round * AT_ONCE + index;
          const json = { row: { id } };
          return acknowledged(ask(server, "POST", "/t/t/-/insert", { as: "root", json }), () =>
            stored.push(id),
          );
        }),
      ]);
      await server.ended;
    }

    const server = await serve();
    expect(revoked.length + stored.length).to.be.above(0);
    for (const token of revoked) {
      expect((await ask(server, "GET", "/-/actor.json", { token })).json).to.deep.equal({ actor: null });
    }
    const kept = (await ask(server, "GET", "/t/t.json?_shape=arrays&_size=max")).json.rows.flat();
    expect(kept).to.include.members(stored);
    const written = (await ask(server, "GET", "/-/audit.json?_size=1000")).text;
    expect(written.split('"insert-rows"').length - 1).to.be.at.least(stored.length);
    await server.stop();
    expect([await isSound("t.db"), await isSound("internal.db")]).to.deep.equal(["ok", "ok"]);
  });
});
