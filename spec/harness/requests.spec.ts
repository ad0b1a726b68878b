import { expect } from "chai";
import { contentOf, type RequestOptions } from "./requests.js";

const sign = (value: unknown, namespace: string): string => `${namespace}:${JSON.stringify(value)}`;
const content = (options: RequestOptions) => contentOf(options, sign);

describe("requests of specs", () => {
  it("are anonymous and bare unless told otherwise", () => {
    expect(content({})).to.deep.equal({ body: undefined, headers: {} });
    expect(content({ as: null })).to.deep.equal(content({}));
  });

  it("carry the actor in a signed cookie, beside the spec's own cookies", () => {
    expect(content({ as: "ann", headers: { cookie: "lamp=lit" } }).headers).to.deep.equal({
      cookie: 'lamp=lit; rowhouse_actor=actor:{"a":{"id":"ann"}}',
    });
  });

  it("say that JSON is JSON", () => {
    expect(content({ json: { row: {} }, token: "rhtok_x" })).to.deep.equal({
      body: '{"row":{}}',
      headers: { "content-type": "application/json", authorization: "Bearer rhtok_x" },
    });
  });

  it("send forms as a browser does, with the CSRF token of the cookie", () => {
    const { headers, body } = content({ as: "ann", form: { text: "a b" } });

    const token = new URLSearchParams(String(body)).get("csrftoken");
    expect(token).to.match(/^csrf:/);
    expect(headers["cookie"]).to.include(`rowhouse_csrf=${token}`);
    expect(new URLSearchParams(String(body)).get("text")).to.equal("a b");
  });

  it("leave out a CSRF token where there is no cookie, and keep one that the spec chose", () => {
    expect(content({ form: { a: "1" } }).body).to.equal("a=1");
    expect(content({ as: "ann", form: { csrftoken: "wrong" } }).body).to.equal("csrftoken=wrong");
  });
});
