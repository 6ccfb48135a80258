import { github } from "signalbox/sources/github";
import { z } from "zod";
import work from "../workflows/work";

export default github
  .on("issues.opened", {
    slug: "private-issue",
    endpoint: "github",
    pick: ["issue.number", "repository.private"],
    filter: z.object({ repository: z.object({ private: z.literal(true) }) }),
  })
  .attach({ workflow: work });
