import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

const now = (): number => Math.floor(Date.now() / 1000);

let rowhouse: TestRowhouse;

const signed = (payload: unknown, namespace = "token"): string =>
  `rhtok_${rowhouse.rowhouse.sign(payload, namespace)}`;

const actorWith = async (headers: Record<string, string | string[]>): Promise<unknown> => {
  const sent = httpRequest({ port: rowhouse.port, path: "/-/actor.json", headers, agent: false });
  sent.end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  if (response.statusCode !== 200) return response.statusCode;
  return (JSON.parse(Buffer.concat(chunks).toString()) as { actor: unknown }).actor;
};

describe("a token that was modified is ignored: the request is anonymous", () => {
  before(async () => {
    rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] } });
  });

  const changes: readonly (readonly [how: string, change: (token: string) => string])[] = [
    ["its signature taken away", (token) => token.slice(0, token.lastIndexOf(".") + 1)],
    ["the dot gone as well", (token) => token.slice(0, token.lastIndexOf("."))],
    ["nothing in front of the dot", (token) => `rhtok_${token.slice(token.lastIndexOf("."))}`],
    ["two dots", (token) => token.replace(".", "..")],
    ["a second signature", (token) => `${token}${token.slice(token.lastIndexOf("."))}`],
    ["padding", (token) => `${token}=`],
    ["the other alphabet", (token) => `${token.slice(0, -1)}+`],
    ["a slash", (token) => `${token.slice(0, -1)}/`],
    ["a trailing character", (token) => `${token}A`],
    ["its prefix doubled", (token) => `rhtok_${token}`],
    ["its prefix in capitals", (token) => token.replace("rhtok_", "RHTOK_")],
    ["a prefix of elsewhere", (token) => token.replace("rhtok_", "dstok_")],
    ["12 kB of text", () => `rhtok_${"A".repeat(12_000)}.${"A".repeat(43)}`],
  ];
  for (const [how, change] of changes) {
    it(how, async () => {
      expect(await actorWith({ authorization: `Bearer ${change(signed({ a: "ann", t: now() }))}` })).to.equal(
        null,
      );
    });
  }

  it("100 kB, which are not even read", async () => {
    const token = `rhtok_${"A".repeat(100_000)}.${"A".repeat(43)}`;

    expect(await actorWith({ authorization: `Bearer ${token}` })).to.be.oneOf([null, 431]);
  });

  for (const namespace of ["actor", "messages", "csrf", "default", "tokens"]) {
    it(`signed as ${namespace}`, async () => {
      expect(
        await actorWith({ authorization: `Bearer ${signed({ a: "ann", t: now() }, namespace)}` }),
      ).to.equal(null);
    });
  }

  it("put in a cookie, as the value of a cookie is no token", async () => {
    const token = rowhouse.rowhouse.sign({ a: { id: "ann" }, t: now() }, "token");
    const cookie = rowhouse.rowhouse.sign({ a: { id: "ann" }, t: now() }, "actor");

    expect(await actorWith({ cookie: `rowhouse_actor=${token}` })).to.equal(null);
    expect(await actorWith({ authorization: `Bearer rhtok_${cookie}` })).to.equal(null);
    expect(await actorWith({ cookie: `rowhouse_actor=${cookie}` })).to.deep.equal({ id: "ann" });
  });
});

/** In seconds, longer than any run of these specs. */
const TTL = 86_400;

describe("a signed payload of any shape gives an actor or an anonymous request, and never an error", () => {
  before(async () => {
    rowhouse = await rowhouseFor({
      tables: { books: [{ id: 1 }] },
      settings: { max_signed_tokens_ttl: TTL },
    });
  });

  const t = now();
  const ignored: readonly unknown[] = [
    null,
    true,
    1,
    "ann",
    [],
    [{ a: "ann", t }],
    {},
    { t },
    { a: "ann" },

    { a: ["ann"], t },
    { a: { id: "root" }, t },
    { a: 7, t },
    { a: null, t },
    { a: true, t },
    ...[-1, 0.5, true, String(t), 2 ** 63, t + 3600, null, {}].map((time) => ({ a: "ann", t: time })),
    ...[-1, 1.5, "60", true, [], {}].map((d) => ({ a: "ann", t, d })),
    { a: "ann", t: t - TTL - 1 },
    { a: "ann", t: t - TTL - 1, d: 0 },
    { a: "ann", t: t - TTL - 1, d: 9_999_999 },
    JSON.parse(`{"__proto__": {"a": "ann", "t": ${t}}}`),
  ];
  for (const payload of ignored) {
    it(JSON.stringify(payload), async () => {
      expect(await actorWith({ authorization: `Bearer ${signed(payload)}` })).to.equal(null);
    });
  }

  it("a lifetime beyond all measure is cut to the longest that is allowed", async () => {
    for (const d of [undefined, null, 0, 10 * TTL, Number.MAX_SAFE_INTEGER]) {
      const actor = await actorWith({ authorization: `Bearer ${signed({ a: "ann", t, d })}` });
      expect(actor).to.deep.equal({ id: "ann", token: "rhtok", token_expires: t + TTL });
    }
  });

  it("restrictions of any shape only ever take away", async () => {
    const widths: readonly unknown[] = [
      [],
      {},
      null,
      "vi",
      true,
      { a: "vi" },
      { a: {} },
      { a: [["vi"]] },
      { a: ["VI"] },
      { a: ["view_table"] },
      { d: { Library: ["vt", "vd", "vi"] } },
      { d: ["vt"] },
      { d: { library: "vt" } },

      { r: { other: { books: ["vt"] } } },
      { r: { library: { Books: ["vt"] } } },
      { r: { library: ["vt"] } },
      { d: { other: ["vt"] }, r: { library: { others: ["vt"] } } },
    ];
    for (const width of widths) {
      const token = signed({ a: "ann", t, _r: width });
      const { status } = await rowhouse.get("/library/books.json", { token });
      expect([JSON.stringify(width), status]).to.deep.equal([JSON.stringify(width), 403]);
    }
    const enough = {
      a: ["view-table", "vd", "vi"],
      r: { library: { books: ["nosuch"] } },
      d: { library: ["nosuch"] },
    };
    expect(
      (await rowhouse.get("/library/books.json", { token: signed({ a: "ann", t, _r: enough }) })).status,
    ).to.equal(200);
  });
});

describe("a token gives access to data, and cannot create further tokens", () => {
  before(async () => {
    rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] }, options: { root: true } });
  });

  for (const path of ["/-/create-token", "/-/tokens", "/-/auth-token?token=x"]) {
    it(`is refused at ${path}`, async () => {
      const token = signed({ a: "root", t: now() });

      expect((await rowhouse.get(path, { token })).status).to.be.oneOf([403, 404]);
      expect((await rowhouse.get(path, { token })).headers["set-cookie"]?.join() ?? "").not.to.contain(
        "rowhouse_actor",
      );
    });
  }

  it("makes no other one by POST", async () => {
    const reply = await rowhouse.post("/-/create-token", {
      token: signed({ a: "root", t: now() }),
      form: {},
    });

    expect(reply.status).to.equal(403);
    expect(reply.text).not.to.contain("rhtok_");
  });

  it("makes no other one together with a cookie: the token decides who is asking", async () => {
    const reply = await rowhouse.post("/-/create-token", {
      token: signed({ a: "root", t: now() }),
      as: "ann",
      form: {},
    });

    expect(reply.status).to.equal(403);
  });
});

describe("the Authorization header is read in one way", () => {
  before(async () => {
    rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] } });
  });

  const forms: readonly (readonly [
    title: string,
    value: (token: string) => string | string[],
    isRead: boolean,
  ])[] = [
    ["as it should be", (token) => `Bearer ${token}`, true],
    ["trailing blanks", (token) => `Bearer ${token}  `, true],
    ["a small letter", (token) => `bearer ${token}`, false],
    ["capitals", (token) => `BEARER ${token}`, false],
    ["two spaces", (token) => `Bearer  ${token}`, false],
    ["a tab", (token) => `Bearer\t${token}`, false],
    ["another scheme", (token) => `Token ${token}`, false],
    ["a list", (token) => `Bearer ${token}, Bearer ${token}`, false],
    ["in quotes", (token) => `Bearer "${token}"`, false],
    ["a second header behind it", (token) => [`Bearer ${token}`, "Bearer rhtok_x.y"], true],
    ["a second header in front of it", (token) => ["Bearer rhtok_x.y", `Bearer ${token}`], false],
  ];
  for (const [title, value, isRead] of forms) {
    it(`${title}: ${isRead ? "the actor" : "anonymous"}`, async () => {
      const actor = await actorWith({ authorization: value(signed({ a: "ann", t: now() })) });

      expect(actor).to.deep.equal(isRead ? { id: "ann", token: "rhtok" } : null);
    });
  }

  it("and a token in the address is ignored, and is in no log", async () => {
    const token = signed({ a: "ann", t: now() });
    for (const name of ["token", "access_token", "_token", "authorization", "Authorization"]) {
      const { json } = await rowhouse.get(`/-/actor.json?${name}=${encodeURIComponent(token)}`);
      expect(json.actor).to.equal(null);
    }
    await rowhouse.get("/library/nosuch.json", { token });
    await rowhouse.get("/library.json?sql=select+nosuch", { token });
    expect(rowhouse.logged.join("\n")).not.to.contain(token.slice(6, 40));
  });
});
