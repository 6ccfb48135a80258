import { FlaskConical } from "lucide-react";
import { StatusBadge } from "./status-badge.tsx";

/** Marks an agent that runs with a scripted stand-in in place of a model. */
export function StandInBadge() {
  return <StatusBadge face={{ label: "Stand-in, no model", icon: FlaskConical, tone: "wait" }} />;
}
