"use client";

import { ViewportPortal } from "@xyflow/react";
import { useRef } from "react";
import { useFeed } from "../../live/use-feed.ts";
import { prefersReducedMotion } from "../../ui/browser.ts";
import { edgePaths } from "../plane/flow-elements.ts";
import { type Journey, journeysOf } from "./pulse-journeys.ts";
import type { VisibleGraph, Layout } from "../../graph/visible-graph.ts";

const runMs = 650;
const markMs = 700;

const arriving: Keyframe[] = [
  { offsetDistance: "0%", opacity: 0.2 },
  { offset: 0.15, opacity: 1 },
  { offsetDistance: "100%", opacity: 1 },
];

const turning: Keyframe[] = [
  { offsetDistance: "0%", opacity: 0.2 },
  { offset: 0.12, opacity: 1 },
  { offset: 0.66, offsetDistance: "96%", opacity: 1, backgroundColor: "var(--accent)" },
  { offset: 0.72, offsetDistance: "96%", opacity: 1, backgroundColor: "var(--bad)" },
  { offsetDistance: "82%", opacity: 0, backgroundColor: "var(--bad)" },
];

const svg = "http://www.w3.org/2000/svg";

/** Maximum number of moving dots. Further deliveries are still counted on the edges. */
const maxDots = 32;

/** Shows new deliveries as dots that move along their edges. Uses Web Animations, without React rendering. */
export function PulseLayer({ graph, positions }: { graph: VisibleGraph; positions: Layout }) {
  const layer = useRef<HTMLDivElement>(null);
  useFeed({ kind: "pulses", after: null }, ({ deliveries }) => {
    const { current } = layer;
    if (!current || document.visibilityState !== "visible") return;
    const paths = edgePaths(graph, positions).byId;
    for (const journey of journeysOf(graph, deliveries, maxDots - current.childElementCount))
      sendDot(current, { journey, paths });
  });
  return (
    <ViewportPortal>
      <div ref={layer} aria-hidden className="pointer-events-none absolute top-0 left-0" />
    </ViewportPortal>
  );
}

/**
 * Moves a dot along the edges of a delivery. A stopped delivery turns back at the trigger and fades. With reduced
 * motion, the edges light up instead.
 */
function sendDot(
  layer: HTMLElement,
  { journey, paths }: { journey: Journey; paths: (edgeId: string) => string | null },
): void {
  const isStill = prefersReducedMotion();
  const first = paths(journey.first);
  const onward = journey.onward.flatMap((id) => paths(id) ?? []);
  if (isStill) {
    for (const path of [...(first === null ? [] : [first]), ...onward])
      lightUp(layer, { path, isStopped: journey.isStopped });
    return;
  }
  if (first === null) return;
  if (journey.isStopped) {
    run(layer, { path: first, keyframes: turning, ms: runMs * 1.5 });
    return;
  }
  const continueOnward = () => {
    for (const path of onward) run(layer, { path, keyframes: arriving, ms: runMs });
  };
  run(layer, { path: first, keyframes: arriving, ms: runMs, onArrival: continueOnward });
}

function run(
  layer: HTMLElement,
  { path, keyframes, ms, onArrival }: { path: string; keyframes: Keyframe[]; ms: number; onArrival?: () => void },
): void {
  const dot = document.createElement("i");
  dot.className = "absolute top-0 left-0 size-2 rounded-full bg-accent";
  dot.style.offsetPath = `path("${path}")`;
  layer.append(dot);
  dot.animate(keyframes, { duration: ms, easing: "cubic-bezier(.45,.05,.55,.95)", fill: "forwards" }).onfinish = () => {
    dot.remove();
    onArrival?.();
  };
}

function lightUp(layer: HTMLElement, { path, isStopped }: { path: string; isStopped: boolean }): void {
  const picture = document.createElementNS(svg, "svg");
  picture.setAttribute("class", "absolute top-0 left-0 size-px overflow-visible");
  const line = document.createElementNS(svg, "path");
  line.setAttribute("d", path);
  line.setAttribute("class", `fill-none stroke-2 ${isStopped ? "stroke-bad" : "stroke-accent"}`);
  picture.append(line);
  layer.append(picture);
  setTimeout(() => picture.remove(), markMs);
}
