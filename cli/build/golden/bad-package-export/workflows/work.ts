import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
import Database, { openDatabase } from "better-sqlite3";

export default defineWorkflow({ slug: "work", input: z.any(), run: () => openDatabase(Database) });
