import type { IncomingHttpHeaders } from "node:http";
import { expect } from "chai";
import { reply, type Visit } from "rowhouse/plugin-api";
import { rowhouseFor } from "rowhouse/testing";

const PATH = "/-/messages";
const cookieOf = (headers: IncomingHttpHeaders): string | undefined =>
  headers["set-cookie"]?.find((text) => text.startsWith("rowhouse_messages="));

describe("a flash message", () => {
  it("waits in a signed cookie, is shown once, then gone", async () => {
    const rowhouse = await rowhouseFor({});
    const form = { message: "<b>Hello</b>", message_type: "WARNING" };

    const added = await rowhouse.post(PATH, { as: "ann", form });
    const value = cookieOf(added.headers)?.split(";")[0]?.slice("rowhouse_messages=".length) ?? "";
    const shown = await rowhouse.get("/", { headers: { cookie: `rowhouse_messages=${value}` } });

    expect(added.status).to.equal(302);
    expect(rowhouse.rowhouse.unsign(value, "messages")).to.deep.equal([["<b>Hello</b>", 2]]);
    expect(shown.text).to.contain("&lt;b&gt;Hello&lt;/b&gt;");
    expect(cookieOf(shown.headers)).to.match(
      /^rowhouse_messages=""; expires=.*Max-Age=0; Path=\/; SameSite=lax/,
    );
  });

  it("has one of three levels: a plugin that gives another one fails instead of losing its message", async () => {
    const route = {
      name: "done",
      path: "/-/done",
      target: "instance",
      view: ({ rowhouse, request }: Visit) => {
        rowhouse.service("messages").add(request, "Done", 2 as never);
        return reply.text("done");
      },
    } as const;
    const rowhouse = await rowhouseFor({ plugins: [{ name: "done", register_routes: () => [route] }] });

    const { status } = await rowhouse.get("/-/done");

    expect(status).to.equal(500);
    expect(rowhouse.logged.join("\n")).to.include("The level of a message is info, warning or error, not 2");
  });

  it("stays in its cookie while nothing shows it", async () => {
    const rowhouse = await rowhouseFor({});
    const value = rowhouse.rowhouse.sign([["Hello", 1]], "messages");

    const { headers } = await rowhouse.get("/.json", { headers: { cookie: `rowhouse_messages=${value}` } });

    expect(cookieOf(headers)).to.equal(undefined);
  });

  it("joins those that wait already", async () => {
    const rowhouse = await rowhouseFor({});
    const cookie = `rowhouse_messages=${rowhouse.rowhouse.sign([["First", 1]], "messages")}`;

    const { headers } = await rowhouse.post(PATH, {
      as: "ann",
      headers: { cookie },
      form: { message: "All", message_type: "all" },
    });

    const value = cookieOf(headers)?.split(";")[0]?.slice("rowhouse_messages=".length) ?? "";
    expect(rowhouse.rowhouse.unsign(value, "messages")).to.deep.equal([
      ["First", 1],
      ["All", 1],
      ["All", 2],
      ["All", 3],
    ]);
  });

  for (const value of ["abc.def", "", "x"]) {
    it(`is not made of the cookie "${value}", which has no valid signature`, async () => {
      const rowhouse = await rowhouseFor({});

      const reply = await rowhouse.get("/", { headers: { cookie: `rowhouse_messages=${value}` } });

      expect(reply.status).to.equal(200);
    });
  }

  it("has one of the known types", async () => {
    const rowhouse = await rowhouseFor({});

    const reply = await rowhouse.post(PATH, { as: "ann", form: { message: "x", message_type: "toString" } });

    expect(reply.status).to.equal(400);
  });
});
