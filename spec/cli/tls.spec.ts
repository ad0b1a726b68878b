import { execFile } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { promisify } from "node:util";
import { expect } from "chai";
import { until } from "../harness/until.js";
import { endings, workplace } from "./command.js";

const run = promisify(execFile);

type Mistake = readonly [keyFile: string, certificateFile: string, message: string];

const mistakes: Readonly<Record<string, Mistake>> = {
  "a key of another certificate": [
    "two.key",
    "one.pem",
    "Could not use two.key with one.pem for TLS: the key does not belong to the first certificate in one.pem",
  ],
  "a key with a passphrase": [
    "locked.key",
    "one.pem",
    "Could not use locked.key with one.pem for TLS: the key has a passphrase. Write one without it: openssl pkey -in locked.key -out NEW",
  ],
  "an empty key": [
    "empty.pem",
    "one.pem",
    "Could not use empty.pem with one.pem for TLS: empty.pem does not contain a private key in PEM format",
  ],
  "a certificate in another format": [
    "one.key",
    "one.der",
    "Could not use one.key with one.der for TLS: one.der does not contain a certificate in PEM format",
  ],
  "files in the wrong order": [
    "one.pem",
    "one.key",
    "Could not use one.pem with one.key for TLS: one.key does not contain a certificate in PEM format",
  ],
  "a folder": ["folder", "one.pem", "Could not read folder: Is a directory"],
};

describe("the key and the certificate of a server", () => {
  const place = workplace();
  const openssl = (...words: readonly string[]): Promise<unknown> =>
    run("openssl", words, { cwd: place.folder });
  const contentOf = (name: string): string => readFileSync(join(place.folder, name), "utf8");

  before(async () => {
    await place.database("a.db");
    place.write({ "empty.pem": "" });
    mkdirSync(join(place.folder, "folder"));
    for (const name of ["one", "two"]) {
      await openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", `${name}.key`);
      await openssl("req", "-x509", "-key", `${name}.key`, "-out", `${name}.pem`, "-subj", `/CN=${name}`);
    }
    await openssl("pkcs8", "-topk8", "-in", "one.key", "-passout", "pass:x", "-out", "locked.key");
    await openssl("x509", "-in", "one.pem", "-outform", "der", "-out", "one.der");
  });

  const ended = endings(
    place,
    Object.fromEntries(
      Object.entries(mistakes).map(([name, [key, certificate]]) => [
        name,
        ["a.db", "-p", "0", "--ssl-keyfile", key, "--ssl-certfile", certificate],
      ]),
    ),
  );

  for (const [mistake, [, , message]] of Object.entries(mistakes)) {
    it(`are refused with the reason: ${mistake}`, () => {
      const { code, stderr } = ended(mistake);

      expect(stderr).to.equal(`Error: ${message}\n`);
      expect(code).to.equal(1);
    });
  }

  it("may be in one file", async () => {
    place.write({ "both.pem": contentOf("one.key") + contentOf("one.pem") });

    const server = await place.serve(["a.db", "--ssl-keyfile", "both.pem", "--ssl-certfile", "both.pem"]);

    expect(server.url).to.match(/^https:/);
    await server.stop();
  });

  it("are read again by `rowhouse dev` when they change, also after a mistake", async () => {
    place.write({ "dev.key": contentOf("one.key"), "dev.pem": contentOf("one.pem") });
    const words = ["dev", "a.db", "--no-config", "--ssl-keyfile", "dev.key", "--ssl-certfile", "dev.pem"];
    const server = await place.serve(words);
    const port = Number(new URL(server.url).port);
    expect(await nameOf(port)).to.equal("one");

    place.write({ "dev.pem": "" });
    await until(() => server.said().includes("dev.pem does not contain a certificate in PEM format"));
    place.write({ "dev.key": contentOf("two.key"), "dev.pem": contentOf("two.pem") });
    await until(async () => (await nameOf(port)) === "two");

    expect((await server.stop()).code).to.equal(0);
  });
});

/** The name in the certificate of a server; null without one. */
const nameOf = (port: number): Promise<string | null> =>
  new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false });
    socket.once("error", () => resolve(null));
    socket.once("secureConnect", () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
  });
