"use client";

import { useStore } from "@xyflow/react";
import { type PointerEvent, useMemo } from "react";
import { type Box, boundsOf, boxOf } from "./viewport.ts";
import { useCanvas } from "../use-canvas.ts";
import type { VisibleGraph, Layout } from "../../graph/visible-graph.ts";

const size = { width: 156, height: 96 };
const pad = 60;

/**
 * All nodes as one path, which is fast for thousands of nodes, and the window as a draggable frame. Hidden while the
 * whole canvas is in the window: it would only cover nodes.
 */
export function Minimap({
  graph,
  positions,
  onLookAt,
}: {
  graph: VisibleGraph;
  positions: Layout;
  onLookAt: (centre: { x: number; y: number }) => void;
}) {
  const selected = useCanvas(({ url }) => url.node);
  const bounds = useMemo(() => boundsOf(graph.nodes, positions), [graph, positions]);
  const path = useMemo(() => graph.nodes.map((node) => rectangle(boxOf(node, positions))).join(""), [graph, positions]);
  const isWhole = useStore(
    ({ transform: [x, y, zoom], width, height }) =>
      bounds !== null &&
      bounds.x * zoom + x >= 0 &&
      bounds.y * zoom + y >= 0 &&
      (bounds.x + bounds.width) * zoom + x <= width &&
      (bounds.y + bounds.height) * zoom + y <= height,
  );
  const chosen = graph.nodes.find(({ id }) => id === selected);
  if (!bounds || isWhole) return null;
  const { box, scale } = mapOf(bounds);
  const go = (event: PointerEvent<SVGSVGElement>) => {
    if (event.buttons !== 1) return;
    const frame = event.currentTarget.getBoundingClientRect();
    onLookAt({ x: box.x + (event.clientX - frame.left) * scale.x, y: box.y + (event.clientY - frame.top) * scale.y });
  };
  return (
    // Hidden from assistive technology: keyboard users move between the nodes themselves.
    <div
      aria-hidden
      className="absolute right-3.5 bottom-3.5 z-10 hidden overflow-hidden rounded-m border bg-raised shadow-raised lg:block"
    >
      <svg
        {...size}
        viewBox={`${box.x} ${box.y} ${size.width * scale.x} ${size.height * scale.y}`}
        preserveAspectRatio="none"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          go(event);
        }}
        onPointerMove={go}
        className="block cursor-grab touch-none active:cursor-grabbing"
      >
        <path d={path} className="fill-line-strong" />
        {chosen && <path d={rectangle(boxOf(chosen, positions))} className="fill-accent" />}
        <WindowFrame />
      </svg>
    </div>
  );
}

/** True to scale, except that a very tall project is compressed vertically. */
function mapOf(bounds: Box): { box: { x: number; y: number }; scale: { x: number; y: number } } {
  const across = (bounds.width + 2 * pad) / size.width;
  const down = (bounds.height + 2 * pad) / size.height;
  const isLong = down > 3 * across;
  const scale = isLong ? { x: across, y: down } : { x: Math.max(across, down), y: Math.max(across, down) };
  return {
    scale,
    box: {
      x: bounds.x + bounds.width / 2 - (scale.x * size.width) / 2,
      y: bounds.y + bounds.height / 2 - (scale.y * size.height) / 2,
    },
  };
}

function WindowFrame() {
  const [x, y, zoom] = useStore((state) => state.transform);
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  return (
    <rect
      x={-x / zoom}
      y={-y / zoom}
      width={width / zoom}
      height={height / zoom}
      strokeWidth={1.5}
      vectorEffect="non-scaling-stroke"
      className="fill-accent-soft/40 stroke-accent/60"
    />
  );
}

function rectangle(box: { x: number; y: number; width: number; height: number } | null): string {
  return box ? `M${box.x} ${box.y}h${box.width}v${box.height}h${-box.width}z` : "";
}
