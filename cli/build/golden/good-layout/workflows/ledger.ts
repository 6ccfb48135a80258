import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
import { other } from "./mail/receipt";

export default defineWorkflow({ slug: "ledger", input: z.object({ id: z.string() }), run: () => other });
