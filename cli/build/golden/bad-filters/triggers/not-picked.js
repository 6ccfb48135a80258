import { github } from "signalbox/sources/github";
import work from "../workflows/work";
import { privateOnly } from "../lib/private-only";

export default github
  .on("issues.opened", { slug: "not-picked", endpoint: "not-picked", pick: ["issue.number"], filter: privateOnly })
  .attach({ workflow: work });
