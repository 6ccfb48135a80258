"use client";

import { Maximize, Minus, Plus } from "lucide-react";
import { IconButton } from "../ui/button.tsx";
import type { CanvasView } from "./use-viewport.ts";

export function ZoomControls({ view }: { view: CanvasView }) {
  return (
    <div
      role="group"
      aria-label="Zoom"
      className="absolute bottom-3.5 left-4 z-10 flex flex-col rounded-m border bg-raised shadow-raised"
    >
      <IconButton label="Zoom in (+)" icon={Plus} onClick={view.zoomIn} />
      <IconButton label="Zoom out (-)" icon={Minus} onClick={view.zoomOut} />
      <IconButton label="Show all (f)" icon={Maximize} onClick={view.fit} />
    </div>
  );
}
