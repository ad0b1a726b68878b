import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { workplace } from "./command.js";

const OLD = "an old secret that is long enough to be one";
const NEW = "a new secret that is long enough to be one";

describe("the secret", () => {
  const place = workplace();
  before(() => place.database("a.db"));

  const tokenFor = async (id: string, ...words: readonly string[]): Promise<string> =>
    (await place.call(["create-token", id, ...words])).stdout.trim();

  it("that two servers share lets each accept the tokens of the other, and those of the command", async () => {
    const [one, other, anonymous] = await Promise.all([
      place.serve(["a.db", "--secret", NEW]),
      place.serve(["a.db"], { ROWHOUSE_SECRET: NEW }),
      place.serve(["a.db"]),
    ]);
    const token = await tokenFor("ann", "--secret", NEW);

    const expected = { id: "ann", token: "rhtok" };
    expect(await actorOf(one.url, token)).to.deep.equal(expected);
    expect(await actorOf(other.url, token)).to.deep.equal(expected);
    expect(await actorOf(anonymous.url, token)).to.equal(null);
    expect(anonymous.said()).to.contain("No secret was given: tokens and cookies end with this process");
    expect(one.said()).not.to.contain(NEW);
  });

  it("may begin with a dash, as random text does", async () => {
    const dashed = `-${NEW.replaceAll(" ", "_")}`;
    const token = await tokenFor("ann", "--secret", dashed);

    const words = ["a.db", "--get", "/-/actor.json", "--secret", dashed, "--token"];
    const [signedIn, anonymous] = await Promise.all(
      [token, "-abc"].map((one) => place.call([...words, one])),
    );
    const forgotten = await place.call(["a.db", "--secret", "--get", "/-/actor.json"]);

    expect(JSON.parse(signedIn?.stdout ?? "")).to.have.nested.property("actor.id", "ann");
    expect(JSON.parse(anonymous?.stdout ?? "")).to.deep.equal({ actor: null });
    expect(forgotten.stderr).to.include("Error: Option '--secret' requires an argument.");
  });

  it("may be several: the first signs, all are accepted", async () => {
    const rotation = { ROWHOUSE_SECRET: NEW, ROWHOUSE_OLD_SECRETS: "rotated-out other" };
    const [old = "", fresh = "", rotated = ""] = await Promise.all([
      tokenFor("ann", "--secret", OLD),
      tokenFor("ben", "--secret", NEW, "--secret", OLD),
      tokenFor("eve", "--secret", "rotated-out"),
    ]);
    const asked = async (words: readonly string[], environment = {}, token = old): Promise<string> =>
      (await place.call(["a.db", "--get", "/-/actor.json", "--token", token, ...words], environment)).stdout;

    const answers = await Promise.all([
      asked(["--secret", NEW, "--secret", OLD]),
      asked(["--secret", NEW]),
      asked(["--secret", NEW], {}, fresh),
      asked([], rotation),
      asked([], rotation, rotated),
    ]);
    expect(
      answers.map((answer) => (JSON.parse(answer) as { actor: { id: string } | null }).actor?.id),
    ).to.deep.equal(["ann", undefined, "ben", undefined, "eve"]);
  });
});

describe("rowhouse create-token with an --internal file", () => {
  const place = workplace();

  it("lists the token by its name, and takes it out of force", async () => {
    const words = ["--internal", "internal.db", "--secret", NEW];
    const { stdout: token } = await place.run(["create-token", "ann", "--name", "nightly", ...words]);
    const listed = JSON.parse((await place.run(["tokens", ...words])).stdout) as {
      id: string;
      name: string;
    }[];
    const ask = () => place.run(["--get", "/-/actor.json", "--token", token.trim(), ...words]);

    expect(listed.map(({ name }) => name)).to.deep.equal(["nightly"]);
    expect((await ask()).stdout).to.contain('"ann"');
    expect((await place.run(["revoke-token", listed[0]?.id ?? "", ...words])).code).to.equal(0);
    expect((await ask()).stdout).to.equal('{"actor": null}\n');
    expect((await place.run(["revoke-token", "nosuch", ...words])).code).to.equal(1);
    const mistyped = await place.run(["tokens", "--internal", "nowhere.db"]);
    expect([mistyped.code, mistyped.stdout]).to.deep.equal([2, ""]);
    expect(mistyped.stderr).to.include("Invalid value for '--internal': Path ");
    expect(existsSync(join(place.folder, "nowhere.db"))).to.equal(false);
    expect((await place.run(["create-token", "ann", "--name", "x", "--secret", NEW])).code).to.equal(2);
  });
});

describe("rowhouse tokens and revoke-token", () => {
  const place = workplace();

  it("leave a file without tokens as it is", async () => {
    await place.database("data.db");
    const before = await readFile(join(place.folder, "data.db"));

    const listed = await place.call(["tokens", "--internal", "data.db"]);
    const revoked = await place.call(["revoke-token", "nosuch", "--internal", "data.db"]);

    expect([listed.code, listed.stdout, revoked.code]).to.deep.equal([0, "[]\n", 1]);
    expect((await readFile(join(place.folder, "data.db"))).equals(before)).to.equal(true);
  });
});

async function actorOf(url: string, token: string): Promise<unknown> {
  const reply = await fetch(`${url}/-/actor.json`, { headers: { authorization: `Bearer ${token}` } });
  return ((await reply.json()) as { actor: unknown }).actor;
}
