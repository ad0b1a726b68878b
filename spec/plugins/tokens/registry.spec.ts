import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";
import { openRaw } from "../../harness/raw-sqlite.js";

const TOKEN = /value="(rhtok_[^"]+)"/;
const LIMITS = { allow: { id: "*" } };

describe("tokens where the internal database is kept in a file", () => {
  let folder: string;
  let rowhouse: TestRowhouse;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "rowhouse-registry-"));
    rowhouse = await serve();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const serve = (settings = {}): Promise<TestRowhouse> =>
    rowhouseFor({
      settings,
      tables: { books: [{ id: 1 }] },
      metadata: LIMITS,
      options: { internal: join(folder, "internal.db") },
    });
  const make = async (as: string, name: string): Promise<string> => {
    const { text } = await rowhouse.post("/-/create-token", { as, form: { name, expire_type: "" } });
    return TOKEN.exec(text)?.[1] ?? "none";
  };
  const known = async (as: string) => (await rowhouse.get("/-/tokens.json", { as })).json.tokens;
  const status = async (token: string, server = rowhouse) => (await server.get("/.json", { token })).status;

  it("have a name, and are listed with their last use", async () => {
    const token = await make("ann", "for the script");
    const usedAfter = Math.floor(Date.now() / 1000);
    const [before] = await known("ann");
    await status(token);
    const [after] = await known("ann");

    expect(before).to.include({ name: "for the script", actor: "ann", last_used: null, revoked: null });
    expect(after.last_used).to.be.within(usedAfter, Date.now() / 1000);
    expect(JSON.stringify(after)).not.to.contain(token.slice(8, 30));
  });

  it("have a last use also after the clock was set back", async () => {
    const token = await make("ann", "for the script");
    const real = Date.now;
    Date.now = () => real() + 86_400_000;
    await status(token).finally(() => (Date.now = real));
    await known("ann");
    await status(token);

    expect((await known("ann"))[0].last_used).to.be.below(real() / 1000 + 1);
  });

  it("are listed to their owner, and to root", async () => {
    await make("ann", "hers");
    await make("ben", "his");

    expect((await known("ann")).map(({ name }: { name: string }) => name)).to.deep.equal(["hers"]);
    expect(await known("root")).to.have.length(2);
    expect((await rowhouse.get("/-/tokens", { as: "ben" })).text)
      .to.contain("his")
      .and.to.match(/>\s*never\s*</)
      .and.not.to.contain("hers");
  });

  it("are in the jump menu of their owner, and on a page that says in words what they may do", async () => {
    const form = { name: "nightly", expire_type: "", "resource:library:books:insert-row": "1" };
    await rowhouse.post("/-/create-token", { as: "ann", form });
    const found = async (as: string) => (await rowhouse.get("/-/jump.json?q=nightly", { as })).json.matches;
    const [{ id }] = await known("ann");
    const page = await rowhouse.get("/-/tokens", { as: "ann" });

    expect(await found("ann")).to.deep.equal([
      { kind: "token", label: "nightly", detail: "your API token", href: `/-/tokens#token-${id}` },
    ]);
    expect(await found("ben")).to.deep.equal([]);
    expect(page.text).to.match(/>library\/books<\/span>:\s+Insert rows/);
    expect(page.text).to.contain('<a href="/-/tokens">Your API tokens</a>');
  });

  it("are different, also those that are made in the same second", async () => {
    const [first, second] = [await make("ann", "laptop"), await make("ann", "server")];
    const { id } = (await known("ann")).find(({ name }: { readonly name: string }) => name === "laptop");
    await rowhouse.post("/-/tokens", { as: "ann", json: { id } });
    const third = await make("ann", "new laptop");

    expect([await status(first), await status(second), await status(third)]).to.deep.equal([403, 200, 200]);
  });

  it("are refused from the moment they are revoked, by every server on the file", async () => {
    const token = await make("ann", "lost");
    const other = await serve();
    expect([await status(token), await status(token, other)]).to.deep.equal([200, 200]);

    const [{ id }] = await known("ann");
    const revoked = await rowhouse.post("/-/tokens", { as: "ann", json: { id } });

    expect(revoked.json).to.deep.equal({ ok: true, revoked: id });
    expect([await status(token), await status(token, other)]).to.deep.equal([403, 403]);
    expect(rowhouse.events.map(({ name }) => name)).to.include.members([
      "create-token",
      "revoke-token",
      "refuse-token",
    ]);
    await rowhouse.close();
    expect(await status(token, await serve())).to.equal(403);
  });

  it("are answered with 401 once they are revoked, with the setting refuse_invalid_tokens", async () => {
    const token = await make("ann", "lost");
    const strict = await serve({ refuse_invalid_tokens: true });
    expect(await status(token, strict)).to.equal(200);

    const [{ id }] = await known("ann");
    await rowhouse.post("/-/tokens", { as: "ann", json: { id } });

    const { status: code, headers } = await strict.get("/.json", { token });
    expect(code).to.equal(401);
    expect(headers["www-authenticate"]).to.equal('Bearer error="invalid_token"');
  });

  it("are revoked by a form, once", async () => {
    const token = await make("ann", "lost");
    const [{ id }] = await known("ann");

    expect((await rowhouse.post("/-/tokens", { as: "ann", form: { id } })).status).to.equal(302);
    expect((await rowhouse.post("/-/tokens", { as: "ann", form: { id } })).status).to.equal(403);
    expect(await status(token)).to.equal(403);
  });

  it("are revoked only by their owner and root", async () => {
    const token = await make("ann", "hers");
    await make("ben", "his");
    const [{ id }] = await known("ann");

    expect((await rowhouse.post("/-/tokens", { as: "ben", json: { id } })).status).to.equal(404);
    expect((await rowhouse.post("/-/tokens", { json: { id } })).status).to.equal(403);
    expect((await rowhouse.post("/-/tokens", { token, json: { id } })).status).to.equal(403);
    expect(await status(token)).to.equal(200);
    expect((await rowhouse.post("/-/tokens", { as: "root", json: { id } })).status).to.equal(200);
  });

  it("are no way to the list of tokens, which the refusal says", async () => {
    const token = await make("ann", "reader");
    const refusals = [
      await rowhouse.get("/-/tokens.json", { token }),
      await rowhouse.get("/-/tokens.json"),
      await rowhouse.get("/-/tokens.json", { as: { id: "ann", _r: { a: ["vi"] } } }),
    ];

    expect(refusals.map(({ status: code, json }) => [code, json.error])).to.deep.equal([
      [403, "Token authentication cannot be used to see or revoke tokens: sign in instead"],
      [403, "You must be logged in to see or revoke your tokens"],
      [403, "Restricted actors cannot see or revoke tokens"],
    ]);
  });

  it("that were made elsewhere count, are listed once they are used, and can be revoked", async () => {
    const elsewhere = await rowhouseFor({ tables: { books: [{ id: 1 }] } });
    const token = await elsewhere.rowhouse
      .service("tokens")
      .createToken("ann", { restrictAll: ["view-instance"] });
    expect(await status(token)).to.equal(200);

    const [{ id, name, restrictions }] = await known("ann");
    expect([name, restrictions]).to.deep.equal([null, { a: ["vi"] }]);
    await rowhouse.post("/-/tokens", { as: "ann", json: { id } });

    expect(await status(token)).to.equal(403);
  });

  it("work again after another program kept the file locked when the first one was used", async () => {
    const token = await make("ann", "early");
    const other = await serve({ lock_wait_ms: 20 });
    const locker = await openRaw(join(folder, "internal.db"));
    await locker.run("begin exclusive");
    const during = await status(token, other);
    await locker.close();

    expect([during, await status(token, other)]).to.deep.equal([503, 200]);
  });

  it("that expire after the year 9999 are listed as tokens that never do", async () => {
    await rowhouse.post("/-/create-token", {
      as: "ann",
      form: { name: "far", expire_type: "days", expire_duration: "99999999999" },
    });

    const page = await rowhouse.get("/-/tokens", { as: "ann" });

    expect(page.status).to.equal(200);
    expect(page.text).to.contain("never");
  });
});

describe("tokens where nothing is kept", () => {
  it("are stateless: no list, no name", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] } });

    expect((await rowhouse.get("/-/tokens", { as: "ann" })).status).to.equal(404);
    expect((await rowhouse.get("/-/create-token", { as: "ann" })).text).not.to.contain('name="name"');
  });
});
