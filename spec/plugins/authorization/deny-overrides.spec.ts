import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { definePlugin, visibleItems, type Plugin } from "rowhouse/plugin-api";
import { visibilityOf } from "rowhouse/plugin-api/access";
import authorizer from "../../../plugins/authorization/index.js";
import { kernelWith } from "../../harness/bare-kernel.js";
import { failure } from "../../harness/failures.js";
import { rowhouseFor } from "../../harness/index.js";

const permission = {
  name: "fly",
  abbr: "fl",
  description: null,
  takes_database: true,
  takes_resource: false,
  default: false,
};
const registers = definePlugin({ name: "registers", register_permissions: () => [permission] });
const answering = (name: string, answer: unknown): Plugin =>
  ({ name, permission_allowed: () => answer }) as unknown as Plugin;

const other = (changes: object): Plugin =>
  definePlugin({ name: "other", register_permissions: () => [{ ...permission, ...changes }] });

const kernelWithPermissions = (...plugins: readonly Plugin[]) =>
  kernelWith([authorizer, registers, ...plugins]);

describe("permission checks", () => {
  it("return the registered default, and deny unregistered actions", async () => {
    const open = definePlugin({
      name: "open",
      register_permissions: () => [{ ...permission, name: "walk", abbr: "wa", default: true }],
    });
    const kernel = await kernelWithPermissions(open);

    expect(await kernel.permissions.allowed(null, "walk")).to.equal(true);
    expect(await kernel.permissions.allowed(null, "fly")).to.equal(false);
    expect(await kernel.permissions.allowed(null, "swim")).to.equal(false);
  });

  it("are denied if one plugin denies, in any order, for one resource and for many", async () => {
    for (const plugins of [
      [answering("granting", true), answering("denying", false)],
      [answering("denying", false), answering("granting", true)],
    ]) {
      const kernel = await kernelWithPermissions(...plugins);

      expect(await kernel.permissions.allowed(null, "fly", "db")).to.equal(false);
      expect(
        await kernel.permissions.visible(
          null,
          ["db", "other"].map((resource) => [["fly", resource]]),
        ),
      ).to.deep.equal([false, false]);
    }
  });

  it("deny restricted actors what is not listed for them, without any other plugin", async () => {
    const kernel = await kernelWithPermissions(answering("granting", true));

    expect(await kernel.permissions.allowed({ id: "root", _r: {} }, "fly", "db")).to.equal(false);
    expect(await kernel.permissions.allowed({ id: "root", _r: { a: ["fl"] } }, "fly", "db")).to.equal(true);
  });

  it("count values of other types, failures and rejected promises as a denial", async () => {
    const failing = { name: "failing", permission_allowed: () => Promise.reject(new Error("down")) };
    for (const plugin of [answering("one", 1), answering("text", "no"), failing as Plugin]) {
      const kernel = await kernelWithPermissions(answering("granting", true), plugin);

      expect(await kernel.permissions.allowed(null, "fly"), plugin.name).to.equal(false);
      expect(
        await kernel.permissions.visible(null, [[["fly", "a"]], [["fly", "b"]]]),
        plugin.name,
      ).to.deep.equal([false, false]);
    }
  });

  it("read each opinion once, and deny if reading it fails", async () => {
    let reads = 0;
    const changing = {
      get allowed() {
        reads += 1;
        return reads === 1;
      },
      because: 5,
    };
    const failing = {
      allowed: true,
      get because(): string {
        throw new Error("down");
      },
    };
    const kernel = await kernelWithPermissions(answering("changing", changing));
    expect((await kernel.permissions.decide(null, "fly", null)).opinions).to.deep.equal([
      { plugin: "changing", allowed: true, because: null },
    ]);

    const refusing = await kernelWithPermissions(answering("granting", true), answering("failing", failing));
    expect((await refusing.permissions.decide(null, "fly", null)).allowed).to.equal(false);
  });

  it("take null for no opinion, also as the result of a promise", async () => {
    const kernel = await kernelWithPermissions(
      answering("granting", true),
      answering("later", Promise.resolve(null)),
    );

    expect(await kernel.permissions.allowed(null, "fly")).to.equal(true);
  });

  it("call a plugin that answers for many resources once", async () => {
    let calls = 0;
    const bulk = definePlugin({
      name: "bulk",
      permission_allowed_many: (_rowhouse, { resources }) => {
        calls++;
        return resources.map((resource) => resource === "a");
      },
    });
    const kernel = await kernelWithPermissions(bulk);

    const chains = ["a", "b", "a"].map((name) => [["fly", name]] as const);

    expect(
      (await visibilityOf(kernel.permissions, null, chains)).map(({ visible }) => visible),
    ).to.deep.equal([true, false, true]);
    expect(calls).to.equal(1);
  });

  it("return the opinions on many resources after one call of each plugin", async () => {
    const calls: unknown[] = [];
    const bulk = definePlugin({
      name: "bulk",
      permission_allowed_many: (_rowhouse, { resources }) => {
        calls.push(resources);
        return [{ allowed: true, because: "it is a" }, null, false];
      },
    });
    const kernel = await kernelWithPermissions(bulk, answering("silent", null));

    const decisions = await kernel.permissions.decideMany({ id: "ann" }, "fly", ["a", "b", "c"]);

    expect(
      decisions.map(({ resource, allowed, usedDefault, opinions }) => [
        resource,
        allowed,
        usedDefault,
        opinions,
      ]),
    ).to.deep.equal([
      ["a", true, false, [{ plugin: "bulk", allowed: true, because: "it is a" }]],
      ["b", false, true, []],
      ["c", false, false, [{ plugin: "bulk", allowed: false, because: null }]],
    ]);
    expect(calls).to.deep.equal([["a", "b", "c"]]);
    expect(kernel.permissions.decisions.map(({ resource }) => resource)).to.deep.equal(["c", "b", "a"]);
  });

  it("find the items that an actor may view, most specific step first, with one call for each step", async () => {
    const calls: unknown[] = [];
    const bulk = definePlugin({
      name: "bulk",
      permission_allowed_many: (_rowhouse, { action, resources }) => {
        calls.push([action, resources]);
        if (action === "view") return resources.map(() => true);
        return resources.map((resource) => (resource === "open" ? true : resource === "shut" ? false : null));
      },
    });
    const kernel = await kernelWithPermissions(bulk);
    const items = ["shut", "one", "open", "two"];

    const visible = await visibleItems(kernel.permissions, { id: "ann" }, items, (item) => [
      ["fly", item],
      ["view", "all"],
    ]);

    expect(visible).to.deep.equal(["one", "open", "two"]);
    expect(calls).to.deep.equal([
      ["fly", items],
      ["view", ["all"]],
    ]);
  });

  it("are made for anonymous clients only for what the actor may view", async () => {
    const asked: unknown[] = [];
    const only = definePlugin({
      name: "only",
      permission_allowed: (_rowhouse, { actor, resource }) => {
        asked.push([actor?.id ?? null, resource]);
        return actor !== null && resource === "a";
      },
    });
    const kernel = await kernelWithPermissions(only);

    const answers = await visibilityOf(kernel.permissions, { id: "ann" }, [[["fly", "a"]], [["fly", "b"]]]);

    expect(answers).to.deep.equal([
      { visible: true, private: true },
      { visible: false, private: false },
    ]);
    expect(asked).to.deep.equal([
      ["ann", "a"],
      ["ann", "b"],
      [null, "a"],
    ]);
  });

  it("stop the start when two different permissions share a name or an abbreviation", async () => {
    expect((await failure(kernelWithPermissions(other({ abbr: "x" })))).message).to.equal(
      "Duplicate permission name: fly",
    );
    expect((await failure(kernelWithPermissions(other({ name: "x" })))).message).to.equal(
      "Duplicate permission abbr: fl",
    );
    expect((await kernelWithPermissions(other({}))).permissions.registered.size).to.equal(1);
  });

  it("stop the start when a permission has a member of the wrong type", async () => {
    const refusal = async (changes: object): Promise<string> =>
      (await failure(kernelWithPermissions(other({ name: "swim", abbr: "sw", ...changes })))).message;
    expect(await refusal({ name: "" })).to.equal(
      "register_permissions: the name of a permission must be text that is not empty, not ''",
    );
    expect(await refusal({ name: undefined })).to.match(/name .* not undefined$/);
    expect(await refusal({ default: "no" })).to.equal(
      "register_permissions: default of the permission swim must be true or false, not 'no'",
    );
    expect(await refusal({ takes_resource: 1 })).to.match(/takes_resource .* true or false, not 1$/);
    expect(await refusal({ abbr: 7 })).to.match(/abbr .* must be text or null, not 7$/);
    expect(await refusal({ takesDatabase: true })).to.equal(
      "register_permissions: the permission swim has no member takesDatabase, did you mean takes_database?",
    );
    const missing = definePlugin({ name: "missing", register_permissions: () => [null] as never });
    expect((await failure(kernelWithPermissions(missing))).message).to.equal(
      "register_permissions: a permission must be an object, not null",
    );
  });
});

describe("the permissions of a request whose body arrives slowly", () => {
  it("are checked again when it is complete, as is its actor", async () => {
    const without = { actor: new Set<string>(), permission: new Set<string>() };
    const rights = definePlugin({
      name: "rights",
      actor_from_request: (_rowhouse, { request: { headers } }) => {
        const [, id = ""] = headers["authorization"]?.split(" ") ?? [];
        return id === "" || without.actor.has(id) ? null : { id };
      },
      permission_allowed: (_rowhouse, { actor, action }) =>
        action === "insert-row" ? actor !== null && !without.permission.has(String(actor.id)) : null,
    });
    const rowhouse = await rowhouseFor({ tables: { books: "id integer primary key" }, plugins: [rights] });
    const uploads = ["ann", "bob", "eve"].map((id) => {
      const sent = request({
        port: rowhouse.port,
        method: "POST",
        path: "/library/books/-/insert",
        headers: { "content-type": "application/json", authorization: `Bearer ${id}` },
      });
      sent.write('{"row": {"id": ');
      return { sent, replied: once(sent, "response") as Promise<[IncomingMessage]> };
    });
    await sleep(1_100);
    without.actor.add("bob");
    without.permission.add("eve");
    for (const [index, { sent }] of uploads.entries()) sent.end(`${index}}}`);

    const replies = await Promise.all(uploads.map(({ replied }) => replied));

    expect(replies.map(([{ statusCode }]) => statusCode)).to.deep.equal([201, 403, 403]);
    expect(await rowhouse.rows("books")).to.deep.equal([{ id: 0 }]);
  });
});
