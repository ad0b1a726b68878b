import { expect } from "chai";
import { multipartField } from "../../../plugins/csrf/token.js";

const TYPE = "multipart/form-data; boundary=edge";
const part = (headers: string, content: string): string => `--edge\r\n${headers}\r\n\r\n${content}\r\n`;
const field = (name: string, value: string): string =>
  part(`Content-Disposition: form-data; name="${name}"`, value);
const file = part('Content-Disposition: form-data; name="upload"; filename="a.txt"', "--csrftoken");
const find = (parts: readonly string[], type = TYPE) =>
  multipartField(Buffer.from(`${parts.join("")}--edge--\r\n`), type, "csrftoken");

describe("the CSRF field of a multipart form", () => {
  it("is found before and behind other fields", () => {
    expect(find([field("csrftoken", "tökén"), field("a", "1")])).to.deep.equal({ value: "tökén" });
    expect(find([field("a", "1"), field("csrftoken", "token")])).to.deep.equal({ value: "token" });
  });

  it("is found when a file comes after it", () => {
    expect(find([field("csrftoken", "token"), file])).to.deep.equal({ value: "token" });
  });

  it("is not looked for behind a file", () => {
    expect(find([file, field("csrftoken", "token")])).to.equal("file-first");
  });

  it("may be announced with the boundary in quotes", () => {
    const type = 'multipart/form-data; boundary="edge"';

    expect(find([field("csrftoken", "token")], type)).to.deep.equal({ value: "token" });
  });

  it("is missing where no part has its name, or no boundary is named", () => {
    expect(find([field("token", "csrftoken")])).to.equal(null);
    expect(find([field("csrftoken", "token")], "multipart/form-data")).to.equal(null);
  });
});
