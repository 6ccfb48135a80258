"use client";

import { useReactFlow } from "@xyflow/react";
import { Maximize, Minus, Plus } from "lucide-react";
import { IconButton } from "../ui/button.tsx";

export function ZoomControls({ onFit }: { onFit: () => void }) {
  const { zoomIn, zoomOut } = useReactFlow();
  return (
    <div role="group" aria-label="Zoom" className="absolute bottom-3.5 left-4 z-10 flex flex-col rounded-m border bg-raised shadow-raised">
      <IconButton label="Zoom in (+)" icon={Plus} onClick={() => void zoomIn({ duration: 150 })} />
      <IconButton label="Zoom out (-)" icon={Minus} onClick={() => void zoomOut({ duration: 150 })} />
      <IconButton label="Show all (f)" icon={Maximize} onClick={onFit} />
    </div>
  );
}
