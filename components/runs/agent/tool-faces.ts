import { CircleCheck, CircleDashed, CircleSlash, CircleX, Hand, LoaderCircle, TriangleAlert } from "lucide-react";
import type { StatusFace } from "../../ui/statuses.ts";
import type { ToolState } from "./conversation.ts";

/** The label of each state of a tool call. */
export const toolFaces: Record<ToolState, StatusFace> = {
  done: { label: "done", icon: CircleCheck, tone: "ok" },
  failed: { label: "failed", icon: TriangleAlert, tone: "bad" },
  invalid: { label: "not called", icon: CircleX, tone: "bad" },
  refused: { label: "denied", icon: Hand, tone: "idle" },
  running: { label: "running", icon: LoaderCircle, tone: "run" },
  waiting: { label: "waits for approval", icon: Hand, tone: "wait" },
  due: { label: "pending", icon: CircleDashed, tone: "idle" },
  stopped: { label: "skipped", icon: CircleSlash, tone: "idle" },
};
