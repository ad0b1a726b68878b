import { expect } from "chai";
import { rowhouseFor } from "rowhouse/testing";

const PATH = "/-/create-token";
const tables = { docs: [{ id: 1 }], letters: [{ id: 1 }] };
const tokenIn = (html: string): string | undefined => /value="(rhtok_[^"]+)"/.exec(html)?.[1];

describe("the token page", () => {
  it("is for people who are signed in with an id and without a token", async () => {
    const rowhouse = await rowhouseFor({ tables });
    const token = await rowhouse.rowhouse.service("tokens").createToken("ann");
    const cases = [
      [{}, "You must be logged in to create a token"],
      [{ as: { name: "x" } }, "You must be logged in as an actor with an ID to create a token"],
      [{ token }, "Token authentication cannot be used to create additional tokens"],
    ] as const;

    for (const [options, message] of cases) {
      const reply = await rowhouse.get(PATH, options);

      expect(reply.status).to.equal(403);
      expect(reply.text).to.contain(message);
    }
  });

  it("is forbidden for all actors if signed tokens are off", async () => {
    const rowhouse = await rowhouseFor({ tables, settings: { allow_signed_tokens: false } });

    const reply = await rowhouse.get(PATH, { as: "ann" });

    expect(reply.status).to.equal(403);
    expect(reply.text).to.contain("Signed tokens are not enabled for this Rowhouse instance");
  });

  it("offers only what the visitor may see, and what applies there", async () => {
    const metadata = { databases: { library: { tables: { letters: { allow: false } } } } };
    const rowhouse = await rowhouseFor({ tables, metadata });

    const { status, text } = await rowhouse.get(PATH, { as: "ann" });

    expect(status).to.equal(200);
    expect(text).to.contain('name="all:view-instance"');
    expect(text).to.contain('name="database:library:insert-row"');
    expect(text).to.contain('name="resource:library:docs:insert-row"');
    expect(text).to.not.contain('name="database:library:view-instance"');
    expect(text).to.not.contain('name="resource:library:docs:create-table"');
    expect(text).to.not.contain("letters");
  });

  it("makes a token that does what was ticked", async () => {
    const rowhouse = await rowhouseFor({ tables });
    const form = {
      expire_type: "hours",
      expire_duration: "2",
      "all:view-instance": "1",
      "resource:library:docs:view-table": "1",
    };

    const madeAfter = Math.floor(Date.now() / 1000);
    const reply = await rowhouse.post(PATH, { as: "ann", form });
    const madeBefore = Date.now() / 1000;
    const {
      id,
      token_expires: expires,
      ...rest
    } = (await rowhouse.get("/-/actor.json", { token: tokenIn(reply.text) ?? "" })).json.actor;

    expect(reply.status).to.equal(200);
    expect(reply.headers["cache-control"]).to.equal("no-store, no-transform");
    expect(id).to.equal("ann");
    expect(rest).to.deep.equal({ token: "rhtok", _r: { a: ["vi"], r: { library: { docs: ["vt"] } } } });
    expect(expires).to.be.within(madeAfter + 7200, madeBefore + 7200);
  });

  it("makes no token out of a form with a mistake", async () => {
    const rowhouse = await rowhouseFor({ tables });
    const mistakes = [
      [{ expire_type: "days", expire_duration: "1.5" }, "Invalid expire duration"],
      [{ expire_type: "weeks", expire_duration: "1" }, "Invalid expire duration unit"],
      [{ "all:<b>": "1" }, "Unknown permission: &lt;b&gt;"],
    ] as const;

    for (const [form, message] of mistakes) {
      const reply = await rowhouse.post(PATH, { as: "ann", form: { ...form } });

      expect(reply.status).to.equal(200);
      expect(reply.text).to.contain(`<p class="message-error">${message}</p>`);
      expect(tokenIn(reply.text)).to.equal(undefined);
    }
  });

  it("gives no token a longer life than the server allows", async () => {
    const rowhouse = await rowhouseFor({ tables, settings: { max_signed_tokens_ttl: 60 } });

    const reply = await rowhouse.post(PATH, { as: "ann", form: { expire_type: "" } });

    expect(reply.text).to.contain("&quot;d&quot;: 60");
    expect(reply.text).to.contain("No token lives longer than 60 seconds");
  });

  it("can't be shown inside a page of another site", async () => {
    const rowhouse = await rowhouseFor({ tables });

    const { headers } = await rowhouse.get(PATH, { as: "ann" });

    expect(headers["x-frame-options"]).to.equal("DENY");
  });

  it("sends an event for a created token", async () => {
    const rowhouse = await rowhouseFor({ tables });

    await rowhouse.post(PATH, { as: "ann", form: { "all:view-instance": "1" } });

    expect(rowhouse.events.map((event) => ({ ...event, created: null }))).to.deep.equal([
      {
        name: "create-token",
        actor: { id: "ann" },
        created: null,
        expires_after: null,
        restrict_all: ["view-instance"],
        restrict_database: {},
        restrict_resource: {},
      },
    ]);
  });
});
