import { expect } from "chai";
import { translator } from "rowhouse/plugin-api/html";
import { readTokenForm } from "../../../plugins/tokens/token-form.js";
import { texts } from "../../../plugins/tokens/texts.js";
import { permissions } from "./vocabulary.js";

const { t } = translator(texts, "en");

const read = (fields: Record<string, string>, limit = 0) =>
  readTokenForm(new URLSearchParams(fields), permissions, { maxLifetimeSeconds: limit, t });

describe("the token form", () => {
  const lifetimes = [
    ["", "nonsense", undefined],
    ["minutes", "2", 120],
    ["hours", "2", 7200],
    ["days", "2", 172_800],
    ["days", "007", 604_800],
  ] as const;
  for (const [unit, duration, expected] of lifetimes) {
    it(`makes ${duration} ${unit || "without a unit"} ${expected ?? "no expiry"}`, () => {
      const form = read({ expire_type: unit, expire_duration: duration });

      expect("grants" in form && form.grants.expiresAfter).to.equal(expected);
    });
  }

  for (const duration of ["", "0", "-1", "1.5", "ten", "1e3", "9".repeat(30)]) {
    it(`refuses the duration "${duration}"`, () => {
      const form = read({ expire_type: "days", expire_duration: duration });

      expect(form).to.deep.equal({ errors: ["Invalid expire duration"] });
    });
  }

  for (const unit of ["weeks", "constructor", "__proto__"]) {
    it(`refuses the unit ${unit}`, () => {
      const form = read({ expire_type: unit, expire_duration: "1" });

      expect(form).to.deep.equal({ errors: ["Invalid expire duration unit"] });
    });
  }

  it("cuts a longer or endless lifetime to the limit", () => {
    for (const fields of [{}, { expire_type: "days", expire_duration: "1" }]) {
      const form = read(fields, 3600);

      expect("grants" in form && form.grants.expiresAfter).to.equal(3600);
    }
  });

  it("reads a checkbox from its name, database and table decoded", () => {
    const form = read({
      "all:view-instance": "",
      "database:side+car~2Ev2:insert-row": "on",
      "resource:a~3Ab:t1:update-row": "1",
      "all:too:many": "1",
      csrftoken: "x",
    });

    expect(form).to.deep.equal({
      grants: {
        restrictAll: ["view-instance"],
        restrictDatabase: { "side car.v2": ["insert-row"] },
        restrictResource: { "a:b": { t1: ["update-row"] } },
      },
    });
  });

  for (const [field, action] of [
    ["all:no-such", "no-such"],
    ["all:vi", "vi"],
    ["database:docs:view-instance", "view-instance"],
    ["resource:docs:t:create-table", "create-table"],
  ] as const) {
    it(`refuses ${field}`, () => {
      expect(read({ [field]: "1" })).to.deep.equal({ errors: [`Unknown permission: ${action}`] });
    });
  }
});
