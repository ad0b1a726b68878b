import { html, type Html, type MetadataBlock, type Visit } from "rowhouse/plugin-api";
import { heading } from "./parts.js";
import { tree } from "./tree.js";

/** The metadata as a tree. */
export const metadataPage = ({ rowhouse }: Visit<"instance">, document: MetadataBlock): Html => html`
  ${heading(rowhouse, "metadata", "Metadata")}
  ${
    Object.keys(document).length === 0
      ? html`<p class="empty">
          There is no metadata. <code>--metadata metadata.yaml</code> adds titles, descriptions, permissions
          and queries.
        </p>`
      : tree(document)
  }
`;
