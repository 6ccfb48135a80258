import { z } from "zod";
import { fromTwilio } from "../lib/from-twilio";
import work from "../workflows/work";

export default fromTwilio
  .source({
    slug: "stop",
    request: z.object({ MessageSid: z.string(), Body: z.string() }),
    filter: z.object({ Body: z.literal("STOP") }),
  })
  .attach({ workflow: work });
