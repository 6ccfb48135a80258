import type { EvidenceStore } from "./evidence-store.ts";
import type { CanvasModel } from "./model/build-model.ts";
import type { CanvasUrl } from "./use-canvas-url.ts";

export interface CanvasProps {
  project: string;
  model: CanvasModel;
  store: EvidenceStore;
  url: CanvasUrl;
  filter: (change: Partial<Omit<CanvasUrl, "node">>) => void;
  open: (id: string | null) => void;
  onSeen: (ids: readonly string[]) => void;
}
