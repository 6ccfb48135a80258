import type { Journey } from "./model/journeys.ts";

const runMs = 650;
const markMs = 700;

/**
 * Moves a dot along the edges of a delivery. A stopped delivery turns back at the trigger and fades. With reduced
 * motion, the edges light up instead.
 */
export function sendDot(
  layer: HTMLElement,
  { journey, paths }: { journey: Journey; paths: (edgeId: string) => string | null },
): void {
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
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

function run(layer: HTMLElement, p: { path: string; keyframes: Keyframe[]; ms: number; onArrival?: () => void }): void {
  const dot = document.createElement("i");
  dot.className = "absolute top-0 left-0 size-2 rounded-full bg-accent";
  dot.style.offsetPath = `path("${p.path}")`;
  layer.append(dot);
  dot.animate(p.keyframes, { duration: p.ms, easing: "cubic-bezier(.45,.05,.55,.95)", fill: "forwards" }).onfinish =
    () => {
      dot.remove();
      p.onArrival?.();
    };
}

const svg = "http://www.w3.org/2000/svg";

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
