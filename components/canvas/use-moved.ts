"use client";

import type { NodeChange } from "@xyflow/react";
import { useCallback, useState } from "react";
import type { CanvasStorage } from "./model/canvas-storage.ts";
import type { Layout } from "./model/column-layout.ts";
import type { FlowNode } from "./model/flow-elements.ts";

/** The positions of dragged nodes. Stored for the next visit, and reset by a new `round`. */
export function useMoved({ storage, round }: { storage: CanvasStorage; round: number }): {
  moved: Layout;
  onNodesChange: (changes: NodeChange<FlowNode>[]) => void;
} {
  const [state, setState] = useState(() => ({ round, moved: storage.moved() }));
  if (state.round !== round) setState({ round, moved: new Map() });
  const onNodesChange = useCallback(
    (changes: NodeChange<FlowNode>[]) => {
      const drags = changes.flatMap((change) =>
        change.type === "position" && change.position ? [{ ...change, position: change.position }] : [],
      );
      if (drags.length === 0) return;
      setState((before) => {
        const moved = new Map(before.moved);
        for (const { id, position } of drags) moved.set(id, { x: Math.round(position.x), y: Math.round(position.y) });
        if (drags.some(({ dragging }) => dragging === false)) storage.keepMoved(moved);
        return { ...before, moved };
      });
    },
    [storage],
  );
  return { moved: state.moved, onNodesChange };
}
