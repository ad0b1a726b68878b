import { expect } from "chai";
import { rowhouseFor } from "../../harness/index.js";

const scans = [
  { id: 1, scan: null, pages: 12, name: "é" },
  { id: 2, scan: new Uint8Array([60, 255]), pages: 3, name: "x" },
];

const library = () => rowhouseFor({ tables: { scans } });

describe(".blob", () => {
  it("sends the bytes of one cell as a file that no browser runs", async () => {
    const reply = await (await library()).get("/library/scans/2.blob?_blob_column=scan");

    expect([...reply.bytes]).to.deep.equal([60, 255]);
    expect(reply.headers["content-type"]).to.equal("application/binary");
    expect(reply.headers["content-disposition"]).to.equal('attachment; filename="scans-2-scan.blob"');
    expect(reply.headers["x-content-type-options"]).to.equal("nosniff");
    expect(reply.headers["content-security-policy"]).to.include("sandbox");
  });

  const values = [
    ["pages", "12"],
    ["name", "é"],
    ["scan", ""],
  ] as const;
  for (const [column, text] of values) {
    it(`sends ${JSON.stringify(text)} for the ${column} of a row`, async () => {
      const reply = await (await library()).get(`/library/scans/1.blob?_blob_column=${column}`);

      expect(reply.status).to.equal(200);
      expect(reply.text).to.equal(text);
    });
  }

  const mistakes = [
    ["/library/scans/1.blob", 400, "?_blob_column= is required"],
    ["/library/scans/1.blob?_blob_column=nope", 400, "nope is not a valid column"],
    ["/library/scans.blob?_blob_column=scan&_blob_hash=00", 400, "Link has expired"],
    ["/library/scans.blob?_blob_column=name&_blob_hash=00", 400, "Link has expired"],
    ["/library/scans.blob?_blob_column=scan&id=77", 404, "No row found"],
  ] as const;
  for (const [path, status, message] of mistakes) {
    it(`answers ${path} with ${status}: ${message}`, async () => {
      const reply = await (await library()).get(path);

      expect(reply.status).to.equal(status);
      expect(reply.text).to.include(message);
    });
  }
});
