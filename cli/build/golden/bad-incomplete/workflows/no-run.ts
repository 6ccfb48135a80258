import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

export default defineWorkflow({ slug: "no-run", input: z.unknown() });
