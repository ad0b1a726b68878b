import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { restrictedActor } from "rowhouse/plugin-api/access";
import type { TokenGrants, TokenHandler } from "rowhouse/plugin-api/contracts";
import { BadSignature } from "rowhouse/plugin-api/errors";
import { failure } from "../../harness/failures.js";
import { rowhouseFor } from "../../harness/index.js";

const keys = (handler: Partial<TokenHandler> = {}) =>
  definePlugin({
    name: "keys",
    register_token_handler: () => ({
      name: "keys",
      verifyToken: (token) => {
        if (token === "key_revoked") throw new BadSignature();
        return token === "key_ann" ? { id: "ann" } : null;
      },
      ...handler,
    }),
  });

const actorPath = "/-/actor.json";

describe("token handlers of plugins", () => {
  it("return the actors of their tokens, beside the signed tokens", async () => {
    const rowhouse = await rowhouseFor({ plugins: [keys()] });
    const signed = await rowhouse.rowhouse.service("tokens").createToken("bob");

    const byKey = await rowhouse.get(actorPath, { token: "key_ann" });
    const bySignature = await rowhouse.get(actorPath, { token: signed });
    const byNobody = await rowhouse.get(actorPath, { token: "of nobody" });

    expect(byKey.json).to.deep.equal({ actor: { id: "ann", token: "keys" } });
    expect(bySignature.json).to.have.nested.property("actor.id", "bob");
    expect(byNobody.json).to.deep.equal({ actor: null });
  });

  it("get no grants with a misspelt restriction, without which a token would allow everything", async () => {
    const received: TokenGrants[] = [];
    const createToken = (_id: string, grants: TokenGrants): string => `key_${received.push(grants)}`;
    const { rowhouse } = await rowhouseFor({ plugins: [keys({ createToken })] });
    const misspelt = { restrictTable: { library: { books: ["view-table"] } } } as TokenGrants;
    const message =
      "The grants of a token have no member restrictTable. They have expiresAfter, restrictAll, restrictDatabase, restrictResource, restricted";

    for (const handler of ["keys", "signed"])
      expect(
        (await failure(rowhouse.service("tokens").createToken("ann", misspelt, handler))).message,
      ).to.equal(message);
    expect(() => restrictedActor({ id: "ann" }, misspelt)).to.throw(TypeError, message);
    expect(received).to.deep.equal([]);
  });

  it("refuse those that are theirs and not to be trusted, which is an event", async () => {
    const rowhouse = await rowhouseFor({ plugins: [keys()] });

    const { json } = await rowhouse.get(actorPath, { token: "key_revoked" });

    expect(json).to.deep.equal({ actor: null });
    expect(rowhouse.events).to.have.length(1);
    expect(rowhouse.events[0]).to.include({ name: "refuse-token", reason: "bad signature" });
  });

  it("return actors that can make no further tokens, as those of signed tokens", async () => {
    const kinds = [{}, { verifyToken: () => ({ id: "ann", token: "" }) }];
    for (const kind of kinds) {
      const rowhouse = await rowhouseFor({ plugins: [keys(kind)] });

      const created = await rowhouse.post("/-/create-token", { token: "key_ann", form: {} });

      expect(created.status).to.equal(403);
      expect(created.text).to.include("cannot be used to create additional tokens");
    }
  });

  it("refuse the request where they fail, and the log names them", async () => {
    const broken = keys({ verifyToken: () => Promise.reject(new Error("no luck")) });
    const rowhouse = await rowhouseFor({ plugins: [broken] });

    const { status } = await rowhouse.get(actorPath, { token: "anything" });

    expect(status).to.equal(500);
    expect(rowhouse.logged.join("\n")).to.include("Plugin keys failed in the token handler keys: no luck");
    expect((await rowhouse.get(actorPath)).status).to.equal(200);
  });

  it("restrict their tokens to what is granted", async () => {
    const granted = new Map<string, TokenGrants>();
    const making = keys({
      createToken: (_actorId, grants) => {
        granted.set("key_new", grants);
        return "key_new";
      },
      verifyToken: (token) => {
        const grants = granted.get(token);
        return grants === undefined ? null : restrictedActor({ id: "root" }, grants);
      },
    });
    const rowhouse = await rowhouseFor({
      plugins: [making],
      tables: { books: [{ id: 1 }], closed: [{ id: 1 }] },
    });
    const grants = { restrictResource: { library: { books: ["insert-row"] } } };
    const token = await rowhouse.rowhouse.service("tokens").createToken("root", grants);

    const insertInto = async (table: string) =>
      (await rowhouse.post(`/library/${table}/-/insert`, { token, json: { row: {} } })).status;
    expect(await insertInto("books")).to.equal(201);
    expect(await insertInto("closed")).to.equal(403);
  });

  it("make tokens: the first that can, or the one that is named", async () => {
    const making = keys({ createToken: (actorId) => `key_${actorId}` });
    const { rowhouse } = await rowhouseFor({ plugins: [making] });
    const tokens = rowhouse.service("tokens");

    expect(await tokens.createToken("ann")).to.equal("key_ann");
    expect(await tokens.createToken("ann", {}, "signed")).to.match(/^rhtok_/);
    const unknown = await tokens.createToken("ann", {}, "nosuch").catch((error: Error) => error.message);
    expect(unknown).to.equal("No plugin makes tokens of the kind nosuch");
  });
});
