import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
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

  it("is not for an actor with restrictions, which its token would not have", async () => {
    const rowhouse = await rowhouseFor({ tables });
    const as = { id: "ann", _r: { a: ["view-instance"] } };

    const shown = await rowhouse.get(PATH, { as });
    const submitted = await rowhouse.post(PATH, { as, form: {} });

    for (const { status, text } of [shown, submitted]) {
      expect(status).to.equal(403);
      expect(text).to.contain("Restricted actors cannot create tokens, which could do more");
      expect(tokenIn(text)).to.equal(undefined);
    }
  });

  it("is forbidden for all actors if signed tokens are off", async () => {
    const rowhouse = await rowhouseFor({ tables, settings: { allow_signed_tokens: false } });

    const reply = await rowhouse.get(PATH, { as: "ann" });

    expect(reply.status).to.equal(403);
    expect(reply.text).to.contain("Signed tokens are not enabled for this Rowhouse instance");
  });

  it("shows the actions of a place after it was picked, and only what applies there", async () => {
    const rowhouse = await rowhouseFor({ tables });

    const first = await rowhouse.get(PATH, { as: "ann" });
    const picked = await rowhouse.get(`${PATH}?place=library`, { as: "ann" });
    const form = { add: "1", place: "library/docs", "database:library:insert-row": "on", shown: "all" };
    const both = await rowhouse.post(PATH, { as: "ann", form });

    expect(first.text).to.contain('name="all:view-instance"').and.to.not.contain('name="database:');
    expect(first.text).not.to.match(/name="all:[^>]*checked/);
    expect(picked.text).to.contain('name="database:library:insert-row"');
    expect(picked.text).to.not.contain('name="database:library:view-instance"');
    expect(picked.text).to.not.contain('name="resource:');
    expect(both.text).to.contain('name="database:library:insert-row" checked');
    expect(both.text).to.contain('name="resource:library:docs:insert-row"');
    expect(both.text).to.not.contain('name="resource:library:docs:create-table"');
    expect(both.text).to.match(/Insert rows\s+<code>insert-row<\/code>/);
    expect(tokenIn(both.text)).to.equal(undefined);
  });

  it("takes no place of three parts for its first two", async () => {
    const rowhouse = await rowhouseFor({ tables });

    const page = await rowhouse.get(`${PATH}?place=library/docs/1`, { as: "ann" });

    expect(page.text).to.contain("There is no database or table “library/docs/1”");
  });

  it("offers only places that the visitor may see", async () => {
    const metadata = { databases: { library: { tables: { letters: { allow: false } } } } };
    const rowhouse = await rowhouseFor({ tables, metadata });

    const { status, text } = await rowhouse.get(PATH, { as: "ann" });
    const closed = await rowhouse.get(`${PATH}?place=library/letters`, { as: "ann" });

    expect(status).to.equal(200);
    expect(text).to.contain('<option value="library/docs">').and.to.not.contain("letters");
    expect(closed.text).to.contain("There is no database or table “library/letters” that you may view.");
    expect(closed.text).to.not.contain('name="resource:');
  });

  it("offers no hidden tables", async () => {
    const metadata = { databases: { library: { tables: { letters: { hidden: true } } } } };
    const rowhouse = await rowhouseFor({ tables, metadata });

    const { text } = await rowhouse.get(PATH, { as: "ann" });

    expect(text).to.contain('<option value="library/docs">').and.to.not.contain("letters");
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

  it("restricts a token to a permission with colons in its name", async () => {
    const notes = definePlugin({
      name: "notes",
      register_permissions: () => ({
        name: "notes:write",
        abbr: null,
        description: null,
        takes_database: true,
        takes_resource: true,
        default: false,
      }),
    });
    const rowhouse = await rowhouseFor({ tables, plugins: [notes] });
    const restrictionsWith = async (box: string) => {
      const { text } = await rowhouse.post(PATH, { as: "ann", form: { [box]: "on" } });
      return (await rowhouse.get("/-/actor.json", { token: tokenIn(text) ?? "" })).json.actor["_r"];
    };

    expect(await restrictionsWith("all:notes:write")).to.deep.equal({ a: ["notes:write"] });
    expect(await restrictionsWith("resource:library:docs:notes:write")).to.deep.equal({
      r: { library: { docs: ["notes:write"] } },
    });
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

  it("is in the menu of actors that may have tokens", async () => {
    const rowhouse = await rowhouseFor({ tables });
    const token = await rowhouse.rowhouse.service("tokens").createToken("ann");
    const pageAs = async (options: object): Promise<string> => (await rowhouse.get("/library", options)).text;

    expect(await pageAs({ as: "ann" })).to.contain('<a href="/-/create-token">Create an API token</a>');
    for (const options of [{}, { as: { name: "x" } }, { token }])
      expect(await pageAs(options)).to.not.contain("/-/create-token");
  });
});
