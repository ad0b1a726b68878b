import { expect } from "chai";
import { contentOf, type RequestOptions } from "./requests.js";

const sign = (value: unknown, namespace: string): string => `${namespace}:${JSON.stringify(value)}`;
const content = (options: RequestOptions) => contentOf(options, sign);

describe("requests of specs", () => {
  it("are anonymous and have no body by default", () => {
    expect(content({})).to.deep.equal({ body: undefined, headers: {} });
    expect(content({ as: null })).to.deep.equal(content({}));
  });

  it("have the actor in a signed cookie, after the cookies of the spec", () => {
    expect(content({ as: "ann", headers: { cookie: "lamp=lit" } }).headers).to.deep.equal({
      cookie: 'lamp=lit; rowhouse_actor=actor:{"a":{"id":"ann"}}',
    });
  });

  it("declare the type of a JSON body", () => {
    expect(content({ json: { row: {} }, token: "rhtok_x" })).to.deep.equal({
      body: '{"row":{}}',
      headers: { "content-type": "application/json", authorization: "Bearer rhtok_x" },
    });
  });

  it("add the CSRF token of the cookie to forms", () => {
    const { headers, body } = content({ as: "ann", form: { text: "a b" } });

    const token = new URLSearchParams(String(body)).get("csrftoken");
    expect(token).to.match(/^csrf:/);
    expect(headers["cookie"]).to.include(`rowhouse_csrf=${token}`);
    expect(new URLSearchParams(String(body)).get("text")).to.equal("a b");
  });

  it("add no CSRF token without a cookie, and keep that of the spec", () => {
    expect(content({ form: { a: "1" } }).body).to.equal("a=1");
    expect(content({ as: "ann", form: { csrftoken: "wrong" } }).body).to.equal("csrftoken=wrong");
  });
});
