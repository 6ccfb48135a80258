import { FlaskConical } from "lucide-react";
import { StatusBadge } from "./status-badge.tsx";

/** Marks an agent whose answers are scripted, without a model. */
export function ScriptedModelBadge() {
  return <StatusBadge face={{ label: "Scripted, no model", icon: FlaskConical, tone: "wait" }} />;
}
