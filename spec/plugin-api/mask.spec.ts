import { expect } from "chai";
import { maskPlugins } from "rowhouse/plugin-api/metadata";

describe("Secrets in the metadata document", () => {
  it("are masked under every secret-looking key of a plugin's configuration, at any depth", () => {
    const plugins = {
      login: {
        client_secret: "a",
        Password: 5,
        api: { keys: ["b", { inner: "c" }] },
        url: "https://x",
        off: null,
      },
    };

    expect(maskPlugins({ title: "T", plugins })).to.deep.equal({
      title: "T",
      plugins: {
        login: {
          client_secret: "***",
          Password: "***",
          api: { keys: ["***", { inner: "***" }] },
          url: "https://x",
          off: null,
        },
      },
    });
  });

  it("stay references where they are references", () => {
    const plugins = { login: { token: { $env: "TOKEN" }, key: { $file: "/run/key" } } };

    expect(maskPlugins({ plugins })).to.deep.equal({ plugins });
  });

  it("are looked for in plugins' configuration only", () => {
    expect(maskPlugins({ token: "shown" })).to.deep.equal({ token: "shown" });
  });
});
