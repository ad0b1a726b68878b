import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Reply } from "rowhouse/plugin-api";
import { serveFile } from "../../../plugins/static-files/serve-file.js";

const text = async ({ body }: Reply): Promise<string> => {
  if (typeof body === "string" || body instanceof Uint8Array) return String(body);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
};

describe("a folder of files", () => {
  let root: string;

  before(async () => {
    root = await mkdtemp(join(tmpdir(), "rowhouse-static-"));
    await mkdir(join(root, "public/deeper"), { recursive: true });
    await mkdir(join(root, "public-private"));
    await writeFile(join(root, "public/app.css"), "body{}");
    await writeFile(join(root, "public/page.unknown"), "text");
    await writeFile(join(root, "public/with space.txt"), "spaced");
    await writeFile(join(root, "secret.txt"), "secret");
    await writeFile(join(root, "public-private/secret.txt"), "secret");
    await symlink(join(root, "secret.txt"), join(root, "public/link.txt"));
    await symlink(join(root, "public/app.css"), join(root, "public/inner.css"));
  });
  after(() => rm(root, { recursive: true, force: true }));

  const get = (path: string): Promise<Reply> => serveFile(join(root, "public"), path);

  it("is served with the content type of the extension and a length", async () => {
    const reply = await get("app.css");

    expect(reply.status).to.equal(200);
    expect(reply.headers).to.include({ "content-type": "text/css; charset=utf-8", "content-length": "6" });
    expect(await text(reply)).to.equal("body{}");
  });

  it("is plain text where the extension says nothing", async () => {
    expect((await get("page.unknown")).headers["content-type"]).to.equal("text/plain; charset=utf-8");
  });

  it("decodes its paths once", async () => {
    expect(await text(await get("with%20space.txt"))).to.equal("spaced");
  });

  it("follows links that stay inside", async () => {
    expect(await text(await get("inner.css"))).to.equal("body{}");
  });

  const refusals: readonly (readonly [path: string, status: number, body: string])[] = [
    ["nothing.css", 404, "404: File not found"],
    ["deeper", 403, "403: Directory listing is not allowed"],
    ["", 403, "403: Directory listing is not allowed"],
    ["../secret.txt", 404, "404: Path not inside root path"],
    ["..%2fsecret.txt", 404, "404: Path not inside root path"],
    ["deeper/../../secret.txt", 404, "404: Path not inside root path"],
    ["../public-private/secret.txt", 404, "404: Path not inside root path"],
    ["link.txt", 404, "404: Path not inside root path"],
    ["%252e%252e/secret.txt", 404, "404: File not found"],
    ["..%5csecret.txt", 404, "404: File not found"],
    ["~2e~2e/secret.txt", 404, "404: File not found"],
    ["app.css%00.txt", 404, "404: File not found"],
    ["%zz", 404, "404: File not found"],
    ["/etc/passwd", 404, "404: File not found"],
  ];
  for (const [path, status, body] of refusals) {
    it(`refuses ${JSON.stringify(path)}: ${body}`, async () => {
      const reply = await get(path);

      expect(reply.status).to.equal(status);
      expect(reply.headers["content-type"]).to.equal("text/html; charset=utf-8");
      expect(await text(reply)).to.equal(body);
    });
  }
});
