import { expect } from "chai";
import { attachment } from "rowhouse/plugin-api/http";

describe("a file name in a header", () => {
  const cases = [
    ["books.csv", 'attachment; filename="books.csv"'],
    ["a b.csv", 'attachment; filename="a b.csv"'],
    ["é.csv", `attachment; filename="_.csv"; filename*=UTF-8''%C3%A9.csv`],
    ['a"b\\c.csv', `attachment; filename="a_b_c.csv"; filename*=UTF-8''a%22b%5Cc.csv`],
    [
      "a\r\nset-cookie: x",
      `attachment; filename="a__set-cookie: x"; filename*=UTF-8''a%0D%0Aset-cookie%3A%20x`,
    ],
    ["it's (1)*.db", 'attachment; filename="it\'s (1)*.db"'],
    ["it's é", `attachment; filename="it's _"; filename*=UTF-8''it%27s%20%C3%A9`],
    ["\ud800", `attachment; filename="_"; filename*=UTF-8''%EF%BF%BD`],
  ] as const;
  for (const [name, header] of cases) {
    it(`${JSON.stringify(name)} is ${header}`, () => {
      expect(attachment(name)).to.equal(header);
    });
  }

  it("uses the given plain form", () => {
    expect(attachment("a/b.csv", "a~2Fb.csv")).to.equal(
      `attachment; filename="a~2Fb.csv"; filename*=UTF-8''a%2Fb.csv`,
    );
  });
});
