import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { readMetadata } from "../../cli/configuration/metadata-file.js";

describe("a metadata file", () => {
  const folder = mkdtempSync(join(tmpdir(), "rowhouse-metadata-"));
  after(() => rmSync(folder, { recursive: true }));
  const file = (content: string): string => {
    const path = join(folder, "metadata.txt");
    writeFileSync(path, content);
    return path;
  };

  const readable: readonly (readonly [what: string, content: string])[] = [
    ["JSON", '{"title": "x", "databases": {"a": {"allow": null}}}'],
    ["YAML", "title: x\ndatabases:\n  a:\n    allow: null\n"],
    ["YAML in JSON's clothes", "{title: x, databases: {a: {allow: ~}}}"],
  ];
  for (const [what, content] of readable) {
    it(`may be ${what}, whatever its name`, async () => {
      const { document, source } = await readMetadata(file(content));

      expect(document).to.deep.equal({ title: "x", databases: { a: { allow: null } } });
      expect(source).to.equal("metadata.txt");
    });
  }

  const mistakes: readonly (readonly [content: string, place: string])[] = [
    ['{"title": "x",,}', "line 1, column 15: Expected double-quoted property name"],
    ['{\n  "title": "x"\n  "license": "y"\n}', "line 3, column 3: Expected ',' or '}' after property value"],
    ['{\n  "a": [1, 2\n', "line 3, column 1: Expected ',' or ']' after array element"],
    ['{\n  "a": &}', "line 2, column 8: Unexpected token '&'"],
    ["title: x\ntitle: y", "line 2, column 1: Map keys must be unique"],
    [
      "a: [1, 2",
      "line 1, column 9: Flow sequence in block collection must be sufficiently indented and end with a ]",
    ],
  ];
  for (const [content, place] of mistakes) {
    it(`with a mistake is refused with its place: ${place}`, async () => {
      const path = file(content);

      const failure = await readMetadata(path).then(
        () => null,
        (error: Error) => error.message,
      );

      expect(failure).to.equal(`Metadata is not valid JSON or YAML: ${path}, ${place}`);
    });
  }
});
