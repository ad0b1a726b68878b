import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../harness/index.js";

const PAGES = ["/library/books.json?", "/library.json?sql=select+1&", "/library/books.json?_group=title&"];

describe("_timelimit", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({ tables: { books: [{ id: 1, title: "Emma" }] } });
  });

  for (const page of PAGES) {
    for (const value of ["1000", "%2B1000", "%201000", "99999999999999999999", ""]) {
      it(`takes ${JSON.stringify(value)} at ${page}`, async () => {
        expect((await rowhouse.get(`${page}_timelimit=${value}`)).status).to.equal(200);
      });
    }

    for (const value of ["soon", "1.5", "1e3", "%20", "NaN", "0x10"]) {
      it(`refuses ${value} at ${page}`, async () => {
        const { status, json } = await rowhouse.get(`${page}_timelimit=${value}`);

        expect([status, json.error]).to.deep.equal([400, "_timelimit must be an integer"]);
      });
    }

    for (const value of ["0", "-0", "-1"]) {
      it(`refuses ${value} at ${page}, with the least value`, async () => {
        const { status, json } = await rowhouse.get(`${page}_timelimit=${value}`);

        expect([status, json.error]).to.deep.equal([400, "_timelimit must be at least 1 (milliseconds)"]);
      });
    }
  }
});
