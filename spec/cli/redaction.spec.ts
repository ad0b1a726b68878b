import { expect } from "chai";
import { createRedactor } from "../../cli/log/redactor.js";
import { until } from "../harness/until.js";
import { workplace } from "./command.js";

const SECRET = "the-signing-secret-of-this-specification";
const OLD_SECRET = "the-former-secret-of-this-specification";
const PLUGIN_SECRET = "the-password-of-a-plugin";

/** A plugin that logs whatever it gets, as careless plugins do. */
const CARELESS = `export default {
  name: "careless",
  setup: (rowhouse) => ({
    async intercept_request(_rowhouse, { request }) {
      const { password } = await rowhouse.pluginConfig("careless");
      const { authorization, cookie } = request.headers;
      rowhouse.log.info("Headers: " + authorization + " " + cookie, { authorization, cookie });
      rowhouse.log.warn(request.method + " " + request.path + "?" + request.queryString + " " + password);
      rowhouse.log.error("Failed", new Error("connect postgres: password=" + password + " " + authorization));
    },
  }),
};`;

const cookiesOf = (reply: Response): string[] =>
  reply.headers.getSetCookie().map((one) => one.split(";")[0] ?? "");

for (const format of ["json", "text"]) {
  describe(`the log in the form ${format}`, () => {
    const place = workplace();

    it("contains no secret, token or cookie after all of them were used", async () => {
      await place.database("library.db");
      place.write({
        "careless.mjs": CARELESS,
        "site.json": {
          files: ["library.db"],
          internal: "internal.db",
          plugins: { "./careless.mjs": {} },
          pluginConfig: { careless: { password: { $env: "CARELESS_PASSWORD" } } },
          settings: { slow_sql_ms: 1 },
        },
      });
      const secrets = ["--secret", SECRET, "--secret", OLD_SECRET];
      const server = await place.serve(["-c", "site.json", "--root", "--log-format", format, ...secrets], {
        CARELESS_PASSWORD: PLUGIN_SECRET,
      });
      await until(() => server.printed().includes("token="));
      const link = new URL(server.printed().trim());
      const signedIn = await fetch(link, { redirect: "manual" });
      const cookies = cookiesOf(signedIn);
      const { stdout } = await place.run(["create-token", "ann", "--secret", SECRET]);
      const [token, forged] = [stdout.trim(), `${stdout.trim().slice(0, -3)}AAA`];
      const page = await fetch(`${server.url}/-/create-token`, { headers: { cookie: cookies.join("; ") } });
      cookies.push(...cookiesOf(page));
      const cookie = cookies.join("; ");
      const formToken = /name="csrftoken" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
      const made = await fetch(`${server.url}/-/create-token`, {
        method: "POST",
        headers: { cookie, "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ csrftoken: formToken, expire_type: "" }),
      });
      const shownToken = /rhtok_[\w.-]+/.exec(await made.text())?.[0] ?? "";
      for (const bearer of [token, forged, shownToken]) {
        await fetch(`${server.url}/library/t.json`, {
          headers: { authorization: `Bearer ${bearer}`, cookie },
        });
        await fetch(`${server.url}/library.json?sql=${encodeURIComponent(`select '${bearer}' wrong`)}`);
        await fetch(`${server.url}/library/${bearer}`);
      }
      await fetch(link, { redirect: "manual" });
      const { stderr } = await server.stop();

      const values = cookies.map((one) => one.slice(one.indexOf("=") + 1));
      const used = [SECRET, OLD_SECRET, PLUGIN_SECRET, token, forged, shownToken, formToken, ...values];
      used.push(link.searchParams.get("token") ?? "");
      expect(used.filter((one) => one.length < 16)).to.deep.equal([]);
      expect(used.filter((one) => stderr.includes(one))).to.deep.equal([]);
      expect(stderr).to.include("Headers: Bearer [redacted]");
      expect(stderr).to.include("/-/auth-token?token=[redacted]");
    });
  });
}

describe("the redactor", () => {
  const { redact } = createRedactor(["a long secret", "tiny"]);

  it("cuts texts of megabytes, without a part of a secret at the end", () => {
    const cut = redact(`${"x".repeat(99_994)}a long secret${"x".repeat(5e6)}`);

    expect(cut.length).to.be.within(80_000, 100_000);
    expect(cut).to.match(/^x+…$/);
  });

  for (const part of ["a", "-", "api_", "token", "token=", "Basic ", "a."]) {
    it(`reads a path of many ${JSON.stringify(part)} in linear time`, () => {
      const began = performance.now();
      redact(`${part.repeat(99_000 / part.length)} token`);

      expect(performance.now() - began).to.be.below(1_000);
    });
  }

  const cases: readonly (readonly [text: string, redacted: string])[] = [
    ["a long secret.", "[redacted]."],
    ["tiny words stay", "tiny words stay"],
    ["Authorization: Basic YTpi", "Authorization: Basic [redacted]"],
    ['{"api_key": "abc"}', '{"api_key": "[redacted]"}'],
    [`${"p".repeat(9)}.${"s".repeat(43)}`, "[redacted]"],
    ["/page?csrftoken=1&x=2", "/page?csrftoken=[redacted]&x=2"],
    ["GET /library/books.json: no such column: year", "GET /library/books.json: no such column: year"],
  ];

  for (const [text, redacted] of cases) {
    it(`turns ${text} into ${redacted}`, () => {
      expect(redact(text)).to.equal(redacted);
    });
  }
});
