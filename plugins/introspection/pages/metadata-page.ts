import { html, type Html, type MetadataBlock, type Visit } from "rowhouse/plugin-api";
import { withMarkup } from "rowhouse/plugin-api/html";
import { tOf } from "../texts.js";
import { heading } from "./parts.js";
import { tree } from "./tree.js";

/** The metadata as a tree. */
export const metadataPage = (visit: Visit<"instance">, document: MetadataBlock): Html => html`
  ${heading(visit, "metadata", "server.metadata")}
  ${
    Object.keys(document).length === 0
      ? html`<p class="empty">
          ${withMarkup(tOf(visit)("server.no_metadata"), {
            option: html`<code>--metadata metadata.yaml</code>`,
          })}
        </p>`
      : tree(tOf(visit), document)
  }
`;
