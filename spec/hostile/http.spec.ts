import { connect } from "node:net";
import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../harness/index.js";

const contents = {
  tables: {
    books: [
      { id: 1, title: "Emma" },
      { id: 2, title: "Ulysses" },
    ],
  },
  metadata: { databases: { library: { queries: { one: "select 1 as one" } } } },
};

const asking = (bytes: number): string =>
  `/library.json?_shape=arrayfirst&sql=select+1--${"a".repeat(bytes)}`;

/** What comes back for bytes that no client would send. */
async function raw({ port }: TestRowhouse, request: string, isOpen = false): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  if (isOpen) socket.write(request);
  else socket.end(request);
  const pieces: Buffer[] = [];
  socket.on("data", (piece: Buffer) => pieces.push(piece));
  // A server that refuses the rest of a request may reset the connection.
  socket.on("error", () => undefined);
  await new Promise((resolve) => socket.once("close", resolve));
  return Buffer.concat(pieces).toString("latin1");
}

describe("A redirect", () => {
  const TARGETS = [
    "//evil/",
    "/\\evil/",
    "/%5cevil/",
    "/%09/evil/",
    "/%2f%2fevil/",
    "///evil//",
    "/library/%0d%0aset-cookie:x=1/",
    "/https:evil/",
  ];
  for (const base of ["/", "/data/"]) {
    for (const path of TARGETS) {
      it(`stays on this site: ${JSON.stringify(path)}${base === "/" ? "" : " under a base URL"}`, async () => {
        const rowhouse = await rowhouseFor({ ...contents, settings: { base_url: base } });

        const { headers } = await rowhouse.get(path);

        const { location } = headers;
        if (location !== undefined) {
          expect(location).to.match(/^\/(?![/\\])[^\s\\]*$/);
          expect(new URL(location, rowhouse.origin).origin).to.equal(rowhouse.origin);
        }
        expect(headers["set-cookie"]?.join(";") ?? "").not.to.include("x=1");
      });
    }
  }
});

describe("A name in a header", () => {
  const NAMES = ["a\r\nb", 'a"b', "naïve \u{1F980}", "a\\b", "a;b=c"];
  for (const name of NAMES) {
    it(`is encoded: ${JSON.stringify(name)}`, async () => {
      const quoted = `"${name.replaceAll('"', '""')}"`;
      const rowhouse = await rowhouseFor({
        sql: `create table ${quoted} (id integer primary key, b blob); insert into ${quoted} values (1, x'ff'), (2, x'fe')`,
      });
      const tilde = [...Buffer.from(name)].map((byte) => `~${byte.toString(16).padStart(2, "0")}`).join("");

      const csv = await rowhouse.get(`/library/${tilde}.csv?_dl=on`);
      const page = await rowhouse.get(`/library/${tilde}.json?_size=1`);
      const blob = await rowhouse.get(`/library/${tilde}/1.blob?_blob_column=b`);

      expect([csv.status, page.status, blob.status]).to.deep.equal([200, 200, 200]);
      for (const value of [
        csv.headers["content-disposition"],
        blob.headers["content-disposition"],
        page.headers.link,
      ]) {
        expect(value).to.match(/^[\x20-\x7e]+$/);
      }
      expect(csv.headers["content-disposition"]).to.match(
        /^attachment; filename="[^"\\]*"(?:; filename\*=UTF-8''[\w.%~+-]+)?$/,
      );
    });
  }
});

describe("The address of this site in links", () => {
  it("comes from Host, never from X-Forwarded-Host", async () => {
    const rowhouse = await rowhouseFor(contents);

    const { json, headers } = await rowhouse.get("/library/books.json?_size=1", {
      headers: { host: "data.example", "x-forwarded-host": "evil.example", forwarded: "host=evil.example" },
    });

    expect(json.next_url).to.match(/^http:\/\/data\.example\//);
    expect(JSON.stringify(headers)).not.to.include("evil.example");
  });

  for (const [hosts, error] of [
    [[], "The header Host is missing"],
    [["a.example", "b.example"], "The header Host is repeated"],
    [['a"><b'], "The header Host is not a name or an address"],
    [["a b/c"], "The header Host is not a name or an address"],
  ] as const) {
    it(`needs one valid Host: ${JSON.stringify(hosts)}`, async () => {
      const rowhouse = await rowhouseFor(contents);
      const lines = hosts.map((host) => `Host: ${host}\r\n`).join("");

      const reply = await raw(rowhouse, `GET /library/books.json?_size=1 HTTP/1.1\r\n${lines}\r\n`);

      expect(reply).to.match(/^HTTP\/1\.1 400 /);
      expect(reply).to.include(`{"ok": false, "error": "${error}", "status": 400, "title": null}`);
    });
  }

  for (const host of ["localhost:8001", "[::1]:80", "my_service.example", "xn--bcher-kva.example", ""]) {
    it(`may be any valid Host: ${host}`, async () => {
      const rowhouse = await rowhouseFor(contents);

      const reply = await raw(
        rowhouse,
        `GET /library/books.json?_size=1 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
        true,
      );

      expect(reply).to.include(`"next_url": "http://${host || "localhost"}/library/books.json?`);
    });
  }

  it("is inert text on pages, whatever Host says", async () => {
    const rowhouse = await rowhouseFor(contents);

    const { text, headers } = await rowhouse.get("/library/books?_size=1", {
      headers: { host: 'evil"><script>alert(1)</script>' },
    });

    expect(text).not.to.include("<script>alert(1)");
    expect(headers.link ?? "").to.match(/^[\x20-\x7e]*$/);
  });
});

describe("A document of JSON", () => {
  const ATTACK = "</script><script>alert(1)</script>\u2028\u2029<!--";

  it("is JSON to browsers, never a page or a script", async () => {
    const rowhouse = await rowhouseFor(contents);
    const paths = [
      "/.json",
      "/library.json",
      "/library/books.json",
      "/library/books/1.json",
      "/library/nope.json",
      "/-/settings.json",
      "/library.json?sql=nonsense",
    ];

    for (const path of paths) {
      const { headers, text } = await rowhouse.get(
        `${path}${path.includes("?") ? "&" : "?"}callback=alert&jsonp=alert`,
      );
      expect(headers["content-type"], path).to.equal("application/json; charset=utf-8");
      expect(text, path).not.to.match(/^\s*alert/);
    }
  });

  it("has no line separators and no text beyond ASCII", async () => {
    const rowhouse = await rowhouseFor({ tables: { notes: [{ id: 1, note: ATTACK }] } });

    const { text, json } = await rowhouse.get("/library/notes.json?_shape=array");

    expect(text).to.match(/^[\x20-\x7e]*$/);
    expect(json[0].note).to.equal(ATTACK);
  });

  it("inside a page ends no script", async () => {
    const rowhouse = await rowhouseFor({
      tables: { notes: [{ id: 1, note: ATTACK }] },
      sql: 'create table "</script><b>" ("</script><i>" text)',
    });

    for (const path of [
      "/library/notes",
      "/library",
      `/library?sql=${encodeURIComponent(`select '${ATTACK}' as x`)}`,
    ]) {
      const { text } = await rowhouse.get(path);
      expect(text, path)
        .not.to.include("<script>alert(1)")
        .and.not.to.include("<b>")
        .and.not.to.include("<i>");
    }
  });
});

describe("A path that leads out of a folder", () => {
  const PATHS = [
    "..%2f..%2fpackage.json",
    "%252e%252e/package.json",
    "..\\..\\package.json",
    "%2e%2e/%2e%2e/package.json",
    "~2e~2e/package.json",
    "/etc/passwd",
    "....//package.json",
    "..%00/package.json",
    "../../package.json",
  ];
  for (const mount of ["/-/static/", "/-/static-plugins/pages/"]) {
    for (const path of PATHS) {
      it(`is not found: ${mount}${path}`, async () => {
        const rowhouse = await rowhouseFor(contents);

        const { status, text } = await rowhouse.get(mount + path);

        expect([302, 400, 403, 404]).to.include(status);
        expect(text).not.to.match(/"name": "rowhouse"|root:/);
      });
    }
  }

  const DATABASES = [
    "..%2flibrary",
    "library.db/../../x",
    "LIBRARY",
    "~2e~2e~2flibrary",
    ".",
    "..",
    "library\\books",
  ];
  for (const path of DATABASES) {
    it(`is no database: ${path}`, async () => {
      const { status } = await (await rowhouseFor(contents)).get(`/${path}.json`);

      expect([302, 404]).to.include(status);
    });
  }
});

describe("The query string", () => {
  it("may repeat arguments and look like a structure: everything in it is text", async () => {
    const rowhouse = await rowhouseFor(contents);

    const structure = await rowhouse.get("/library/books.json?title[]=Emma&title[a]=b&a[b][c]=d");
    const twice = await rowhouse.get("/library/books.json?_size=1&_size=2&title=Emma&title=Ulysses");

    expect([200, 400]).to.include(structure.status);
    expect(twice.json.rows).to.have.length.at.most(1);
  });

  it("of one facet a thousand times lists it no more than three times", async () => {
    const rowhouse = await rowhouseFor(contents);
    const facets = Array.from({ length: 1000 }, () => "_facet=title").join("&");

    const { status, json } = await rowhouse.get(`/library/books.json?_nosuggest=1&${facets}`);

    expect(status).to.equal(200);
    expect(Object.keys(json.facet_results)).to.deep.equal(["title", "title_2", "title_3"]);
  });

  it("accepts hundreds of filters, and reports more than SQLite supports", async () => {
    const rowhouse = await rowhouseFor(contents);
    const filtered = async (count: number): Promise<number> => {
      const filters = Array.from({ length: count }, (_, index) => `id=${index}`).join("&");
      return (await rowhouse.get(`/library/books.json?_nosuggest=1&${filters}`)).status;
    };

    expect([await filtered(150), await filtered(1_500)]).to.deep.equal([200, 400]);
  });

  it("of sixty thousand bytes holds as much SQL, and a longer one is refused with a document", async () => {
    const rowhouse = await rowhouseFor(contents);
    const long = await rowhouse.get(asking(60_000));
    const longer = await raw(rowhouse, `GET ${asking(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);

    expect([long.status, long.text]).to.deep.equal([200, "[1]"]);
    expect(longer).to.match(
      /^HTTP\/1\.1 431 [^]*\{"ok": false, "error": "The address and the headers are too long", "status": 431,/,
    );
  });

  it("of a megabyte is refused before anything looks at it", async () => {
    const rowhouse = await rowhouseFor(contents);

    const answer = await raw(
      rowhouse,
      `GET /library.json?x=${"a".repeat(1_000_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    );

    expect(answer).to.match(/^(?:HTTP\/1\.1 431|$)/);
    expect((await rowhouse.get("/library.json")).status).to.equal(200);
  });
});

const QUERIES = {
  databases: {
    library: {
      queries: { add: { sql: "insert into books (title) values (:title)", write: true } },
    },
  },
};

describe("A method", () => {
  const PATHS = ["/", "/library.json", "/library/books.json", "/library/books/1.json", "/-/settings.json"];
  for (const path of PATHS) {
    for (const method of ["PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "POST"]) {
      it(`that ${path} does not have gets 405 with the allowed ones: ${method}`, async () => {
        const { status, headers } = await (await rowhouseFor(contents)).request(method, path);

        expect(status).to.equal(405);
        expect(headers.allow)
          .to.match(/\bGET\b/)
          .and.match(/\bHEAD\b/)
          .and.match(/\bOPTIONS\b/);
      });
    }
  }

  it("GET is none of an endpoint that writes", async () => {
    const rowhouse = await rowhouseFor(contents);

    for (const path of ["/library/-/create", "/library/books/-/insert", "/library/books/1/-/update"]) {
      const { status, headers } = await rowhouse.get(path, { as: "root" });
      expect(status, path).to.equal(405);
      expect(headers.allow, path).to.include("POST");
    }
  });

  for (const method of ["CONNECT", "BREW", "get", "M-X.2"]) {
    it(`that opens tunnels, or that is unknown, gets the same error as others: ${method}`, async () => {
      const rowhouse = await rowhouseFor(contents);

      const document = await raw(rowhouse, `${method} /library.json?x=1 HTTP/1.1\r\nHost: x\r\n\r\n`);
      const page = await raw(rowhouse, `${method} /library HTTP/1.1\r\nHost: x\r\n\r\n`);

      expect(document).to.match(/^HTTP\/1\.1 405 .*\r\n(?:.+\r\n)*Allow: GET, HEAD, POST, OPTIONS\r\n/i);
      expect(document.endsWith('\r\n\r\n{"ok": false, "error": "Method not allowed"}')).to.equal(true);
      expect(page).to.match(/^HTTP\/1\.1 405 /);
      expect(page).to.match(/\r\n\r\nMethod not allowed$/);
      expect((await rowhouse.get("/library.json")).status).to.equal(200);
    });
  }

  it("that is unknown gets a JSON document if it sends one", async () => {
    const rowhouse = await rowhouseFor(contents);

    const answer = await raw(
      rowhouse,
      "BREW /library HTTP/1.1\r\nHost: x\r\ncontent-TYPE:application/json \r\n\r\n{}",
    );

    expect(answer).to.match(/^HTTP\/1\.1 405 .*\r\n(?:.+\r\n)*content-type: application\/json/);
    expect(answer.endsWith('\r\n\r\n{"ok": false, "error": "Method not allowed"}')).to.equal(true);
  });

  it("is not what is wrong with what is no request at all", async () => {
    const rowhouse = await rowhouseFor(contents);

    for (const garbage of ["garbage\r\n\r\n", "\x16\x03\x01 nothing like a request\r\n\r\n"])
      expect(await raw(rowhouse, garbage)).to.match(
        /^HTTP\/1\.1 400 [^]*\r\n\r\n\{"ok": false, "error": "[^"]+", "status": 400, "title": null\}$/,
      );
    expect((await rowhouse.get("/library.json")).status).to.equal(200);
  });

  it("OPTIONS is answered everywhere", async () => {
    const { status, text } = await (await rowhouseFor(contents)).request("OPTIONS", "/library/books.json");

    expect([status, text]).to.deep.equal([200, "ok"]);
  });

  for (const path of [...PATHS, "/library/add", "/library/books/-/insert", "/library/-/create"]) {
    it(`that ${path} names in Allow exists, in replies to OPTIONS and in 405`, async () => {
      const rowhouse = await rowhouseFor({ ...contents, metadata: QUERIES });

      const { headers } = await rowhouse.request("OPTIONS", path);
      const refused = await rowhouse.request("PUT", path);

      expect(refused.headers.allow).to.equal(headers.allow);
      for (const method of (headers.allow ?? "").split(", ").filter((name) => name !== "OPTIONS")) {
        const json = method === "POST" ? { json: {} } : {};
        expect((await rowhouse.request(method, path, json)).status, method).not.to.equal(405);
      }
      expect(headers.allow)
        .to.match(/OPTIONS$/)
        .and.match(/GET|POST/);
    });
  }

  it("OPTIONS and methods that are not allowed reveal no more of what is hidden than GET", async () => {
    const rowhouse = await rowhouseFor({
      ...contents,
      metadata: { databases: { library: { tables: { books: { allow: false } } } } },
      settings: { conceal_missing: true },
    });

    for (const method of ["GET", "OPTIONS", "PUT", "POST"]) {
      const [hidden, missing] = await Promise.all(
        ["/library/books", "/library/nooks"].map((path) => rowhouse.request(method, path)),
      );
      expect(hidden?.status, method).to.equal(missing?.status);
      expect(hidden?.headers.allow, method).to.equal(missing?.headers.allow);
    }
  });

  it("in an override header changes nothing", async () => {
    const rowhouse = await rowhouseFor(contents);

    const { status } = await rowhouse.get("/library/books/1.json", {
      headers: { "x-http-method-override": "DELETE" },
    });

    expect(status).to.equal(200);
  });
});

describe("Headers that ask for something special", () => {
  const CHAOS: readonly (readonly [name: string, value: string])[] = [
    ["range", "bytes=0-3"],
    ["range", "bytes=9999999-"],
    ["if-none-match", "*"],
    ["if-none-match", ",,,"],
    ["if-modified-since", "yesterday"],
    ["accept", "*/*;q=0, x/y;q=nan, ;;;"],
    ["accept", "text/html,application/json;q=0.1"],
    ["accept-encoding", "br;q=0"],
    ["accept-encoding", "identity;q=0, *;q=0"],
    ["accept-encoding", ";;,gzip;q=x"],
  ];
  for (const [name, value] of CHAOS) {
    it(`are followed or ignored, and the document is whole: ${name}: ${value}`, async () => {
      const rowhouse = await rowhouseFor(contents);

      const { status, json } = await rowhouse.get("/library/books.json?_shape=array", {
        headers: { [name]: value },
      });

      expect(status).to.equal(200);
      expect(json).to.have.length(2);
    });
  }
});

describe("An address with characters that are not percent-encoded", () => {
  it("is refused with the reason", async () => {
    const rowhouse = await rowhouseFor(contents);

    const reply = await raw(rowhouse, "GET /library/books.json?title=\u00e9 HTTP/1.1\r\nHost: a\r\n\r\n");

    expect(reply).to.match(/^HTTP\/1.1 400 Bad Request\r\n/);
    expect(reply).to.include(
      '"error": "The address has characters that must be percent-encoded, such as %C3%A9 for \\u00e9"',
    );
  });

  it("is refused without a body if the method is HEAD", async () => {
    const rowhouse = await rowhouseFor(contents);

    const reply = await raw(rowhouse, "HEAD /library/books.json?title=\u00e9 HTTP/1.1\r\nHost: a\r\n\r\n");

    expect(reply).to.match(/^HTTP\/1.1 400 Bad Request\r\n/);
    expect(reply).to.match(/\r\ncontent-length: [1-9]\d+\r\n/);
    expect(reply).to.match(/\r\n\r\n$/);
  });
});
