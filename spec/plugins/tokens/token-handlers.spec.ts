import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import type { TokenHandler } from "rowhouse/plugin-api/contracts";
import { BadSignature } from "rowhouse/plugin-api/errors";
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

    expect(byKey.json).to.deep.equal({ actor: { id: "ann" } });
    expect(bySignature.json).to.have.nested.property("actor.id", "bob");
    expect(byNobody.json).to.deep.equal({ actor: null });
  });

  it("refuse those that are theirs and not to be trusted, which is an event", async () => {
    const rowhouse = await rowhouseFor({ plugins: [keys()] });

    const { json } = await rowhouse.get(actorPath, { token: "key_revoked" });

    expect(json).to.deep.equal({ actor: null });
    expect(rowhouse.events).to.have.length(1);
    expect(rowhouse.events[0]).to.include({ name: "refuse-token", reason: "bad signature" });
  });

  it("refuse the request where they fail, and the log names them", async () => {
    const broken = keys({ verifyToken: () => Promise.reject(new Error("no luck")) });
    const rowhouse = await rowhouseFor({ plugins: [broken] });

    const { status } = await rowhouse.get(actorPath, { token: "anything" });

    expect(status).to.equal(500);
    expect(rowhouse.logged.join("\n")).to.include("Plugin keys failed in the token handler keys: no luck");
    expect((await rowhouse.get(actorPath)).status).to.equal(200);
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
