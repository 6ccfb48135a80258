import { z } from "zod";
import { formatCount } from "../../shared/format.ts";
import { searchDocs as findSections } from "../search-docs.ts";
import { defineTool, type Tool } from "../tool.ts";
import { explainDelivery, searchDeliveries, sendAndWait } from "./delivery-tools.ts";
import { getRun, resumeRun } from "./run-tools.ts";
import { backtest, inferSchema, listTriggers, testTrigger } from "./trigger-tools.ts";

const maxSectionLength = 3_000;

const searchDocs = defineTool({
  name: "search_docs",
  title: "Search the documentation",
  description:
    "Searches the documentation of this version of Signalbox: the SDK, schemas that the build accepts, senders and signatures, retries, the command line, errors. Also useful before you write a trigger.",
  input: z.strictObject({
    query: z.string().min(1).max(200).describe("A few words, e.g. `verify stripe signature` or `onMismatch hold`"),
    limit: z.int().min(1).max(10).default(5),
  }),
  uses: [],
  async call({ query, limit }) {
    const found = findSections(query, limit);
    return {
      facts: [`${formatCount(found.length, "section")} found. The files are in node_modules/signalbox/.`],
      text: found.map(({ file, title, text }) => `## ${title}\n(${file})\n\n${shorten(text)}`).join("\n\n"),
    };
  },
});

function shorten(text: string): string {
  return text.length <= maxSectionLength ? text : `${text.slice(0, maxSectionLength)}\n… (the file has the rest)`;
}

/** The tools, those that read first. */
export const tools: readonly Tool[] = [
  listTriggers,
  explainDelivery,
  searchDeliveries,
  testTrigger,
  backtest,
  inferSchema,
  getRun,
  searchDocs,
  sendAndWait,
  resumeRun,
];
