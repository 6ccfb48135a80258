import { showGraph } from "../../triggers/show-graph.ts";
import { procedure } from "../trpc.ts";

export const canvasGraph = procedure.query(({ ctx }) => showGraph(ctx));
