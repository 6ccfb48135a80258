import { FlaskConical } from "lucide-react";
import { StatusBadge } from "./status-badge.tsx";

/** Says that no model answers here, but a script that stands in for one. */
export function StandInBadge() {
  return <StatusBadge face={{ label: "Stand-in, no model", icon: FlaskConical, tone: "wait" }} />;
}
