import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor } from "rowhouse/testing";
import { describe as describeBlock } from "../../../plugins/pages/metadata-block.js";
import { securityHeaders } from "../../../plugins/pages/security-headers.js";

const creditsOf = (block: Readonly<Record<string, unknown>>) =>
  describeBlock(block, String).credits.map(({ label, href }) => [label, href]);

const NO_ASSETS = { css: [], js: [], bodyScripts: [] };
const asset = (url: string) => ({ url, sri: null, module: false });

describe("the description of the data of a page", () => {
  it("links names to their addresses", () => {
    const block = { license: "ODbL", license_url: "https://example.org/odbl", source: "A list" };

    expect(creditsOf(block)).to.deep.equal([
      ["ODbL", "https://example.org/odbl"],
      ["A list", null],
    ]);
  });

  it("shows an address that has no name as itself", () => {
    expect(creditsOf({ about_url: "https://example.org/" })).to.deep.equal([
      ["https://example.org/", "https://example.org/"],
    ]);
  });

  for (const url of [
    "javascript:alert(1)",
    " JavaScript:alert(1)",
    "data:text/html,x",
    "//evil.example",
    "/\\evil",
  ]) {
    it(`never links to ${url}`, () => {
      expect(creditsOf({ source: "A list", source_url: url })).to.deep.equal([["A list", null]]);
    });
  }

  it("takes description_html as markup and description as text", () => {
    expect(
      String(describeBlock({ description: "<b>", description_html: "<i>x</i>" }, String).description),
    ).to.equal("<i>x</i>");
    expect(describeBlock({ description: "<b>" }, String).description).to.equal("<b>");
  });
});

describe("the headers of a page", () => {
  it("allow nothing from elsewhere and no frame around it", () => {
    const policy = securityHeaders(NO_ASSETS, [])["content-security-policy"];

    expect(policy).to.include("default-src 'self'").and.include("frame-ancestors 'none'");
    expect(policy).to.not.include("unsafe");
  });

  it("let in exactly the origins of configured assets", () => {
    const assets = {
      css: [asset("https://cdn.example/a.css?x=;script-src *")],
      js: [asset("/own.js"), asset("//js.example/b.js")],
      bodyScripts: [],
    };
    const policy = securityHeaders(assets, [])["content-security-policy"];

    expect(policy).to.include("style-src 'self' https://cdn.example;");
    expect(policy).to.include("script-src 'self' https://js.example;");
    expect(policy).to.not.include("*");
  });

  it("let in the sources that plugins name, and no loosening of the policy itself", async () => {
    const plugin = definePlugin({
      name: "atlas",
      csp_sources: () => [
        { directive: "img-src", source: "https://tiles.example.org" },
        { directive: "connect-src", source: "https://data.example.org" },
        { directive: "script-src", source: "'unsafe-inline'" },
        { directive: "script-src", source: "https://a.example; script-src *" },
      ],
    });
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] }, plugins: [plugin] });

    const policy = (await rowhouse.get("/library/books")).headers["content-security-policy"];

    expect(policy).to.include("img-src 'self' data: https: https://tiles.example.org;");
    expect(policy).to.include("connect-src 'self' https://data.example.org");
    expect(policy).to.include("script-src 'self';").and.to.not.include("unsafe").and.to.not.include("*");
  });

  it("are also on HTML that was not made from a template", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] } });

    const refusal = await rowhouse.post("/-/logout", { as: "ann", form: { csrftoken: "wrong" } });
    const missing = await rowhouse.get("/-/static/missing.css");

    for (const { status, headers } of [refusal, missing]) {
      expect(status).to.be.greaterThan(400);
      expect(headers["content-security-policy"]).to.include("default-src 'self'");
      expect(headers["x-content-type-options"]).to.equal("nosniff");
    }
  });
});
