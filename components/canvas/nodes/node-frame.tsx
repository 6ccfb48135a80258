"use client";

import Link from "next/link";
import type { MouseEvent, ReactNode } from "react";
import { useCanvas } from "../use-canvas.ts";
import type { ModelNode } from "../../graph/canvas-model.ts";
import { nodeSize } from "../../graph/node-content.ts";

/** The card of a node. The whole card is a link that opens the node's sheet. Other controls are above that link. */
export function NodeFrame({
  node,
  name,
  className = "",
  children,
}: {
  node: ModelNode;
  name: string;
  className?: string;
  children: ReactNode;
}) {
  const isSelected = useCanvas(({ url }) => url.node === node.id);
  const open = useCanvas((state) => state.open);
  const { width, height } = nodeSize(node);
  const onClick = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    open(node.id);
  };
  return (
    <div
      data-node={node.id}
      data-selected={isSelected}
      data-shape={node.kind === "target" ? node.target.kind : node.kind}
      style={{ width, height }}
      className={`relative flex flex-col rounded-l data-[shape=agent]:rounded-[22px] border px-3 py-2.5 shadow-raised group-data-[far=true]/canvas:justify-center group-data-[far=true]/canvas:shadow-none hover:border-line-strong data-[selected=true]:border-accent data-[selected=true]:ring-3 data-[selected=true]:ring-accent-soft ${className}`}
    >
      <Link
        href={`/?node=${encodeURIComponent(node.id)}`}
        prefetch={false}
        draggable={false}
        data-node-link=""
        data-shallow=""
        aria-label={name}
        aria-current={isSelected ? "true" : undefined}
        onClick={onClick}
        className="absolute -inset-px rounded-[inherit] focus-visible:rounded-[inherit]"
      />
      {children}
      {node.kind !== "source" && <EdgeEnd side="left" />}
      {node.kind !== "target" && <EdgeEnd side="right" />}
    </div>
  );
}

/**
 * The end point of edges. React Flow gets the handles in advance. It reads these elements again if it detects another
 * node size, for example after a late font.
 */
function EdgeEnd({ side }: { side: "left" | "right" }) {
  return (
    <i
      aria-hidden
      data-handlepos={side}
      className={`pointer-events-none absolute top-1/2 size-0 ${side === "left" ? "target -left-px" : "source -right-px"}`}
    />
  );
}
