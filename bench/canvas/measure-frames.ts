import type { Page } from "playwright";

export interface FrameTimes {
  what: string;
  /** Nodes in the document at the end: the visible ones. */
  drawn: number;
  frames: number;
  medianMs: number;
  p95Ms: number;
  worstMs: number;
}

const moves = 60;

/**
 * Drags and zooms the canvas of an open page. Returns the durations of its frames: zoomed in, and with as many visible
 * nodes as possible.
 */
export async function measureFrames(page: Page): Promise<FrameTimes[]> {
  const box = await page.locator(".react-flow__pane").boundingBox();
  if (!box) throw new Error("There is no canvas on this page.");
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const drag = async () => {
    const start = await emptyPlace(page, box);
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    for (let move = 1; move <= moves; move++) await page.mouse.move(start.x, start.y - move * 6);
    await page.mouse.up();
  };
  const wheel = async (delta: number) => {
    await page.mouse.move(middle.x, middle.y);
    for (let move = 0; move < moves / 2; move++) await page.mouse.wheel(0, delta);
  };
  const zoom = async (delta: number) => {
    await page.keyboard.down("Control");
    await wheel(delta);
    await page.keyboard.up("Control");
  };
  const times = [await timed(page, "drag, close by", drag)];
  times.push(await timed(page, "wheel, close by", () => wheel(60)));
  times.push(await timed(page, "zoom out", () => zoom(40)));
  await page.getByRole("button", { name: "Show all" }).click();
  await page.waitForTimeout(1_500);
  times.push(await timed(page, "drag, all in sight", drag));
  times.push(await timed(page, "zoom in", () => zoom(-40)));
  return times;
}

/**
 * The time from a click on the button that collapses or expands all endpoints until the new nodes are painted. Ends
 * with all of them expanded, if the canvas starts collapsed: the most nodes that can be in sight.
 */
export async function measureFold(page: Page): Promise<{ what: string; ms: number }[]> {
  const times = [];
  for (let time = 0; time < 5; time++) {
    const button = page.getByRole("button", { name: /^(Expand|Collapse)$/ });
    const what = (await button.textContent()) ?? "";
    const ms = await button.evaluate(async (element) => {
      const canvas = document.querySelector(".react-flow__nodes");
      const isPainted = new Promise<void>((resolve) => {
        const observer = new MutationObserver(() => {
          observer.disconnect();
          resolve();
        });
        if (canvas) observer.observe(canvas, { childList: true });
      });
      const start = performance.now();
      if (element instanceof HTMLElement) element.click();
      await isPainted;
      await new Promise(requestAnimationFrame);
      return performance.now() - start;
    });
    times.push({ what, ms: Math.round(ms) });
    await page.waitForTimeout(1_000);
  }
  return times;
}

/** A point of the plane without a node: at the left or the right edge. */
async function emptyPlace(
  page: Page,
  box: { x: number; y: number; width: number; height: number },
): Promise<{ x: number; y: number }> {
  const places = [6, box.width - 12, box.width / 2].map((left) => ({ x: box.x + left, y: box.y + box.height - 160 }));
  for (const place of places) {
    if (
      await page.evaluate(
        ({ x, y }) => document.elementFromPoint(x, y)?.classList.contains("react-flow__pane") ?? false,
        place,
      )
    )
      return place;
  }
  return { x: box.x + 6, y: box.y + box.height / 2 };
}

async function timed(page: Page, what: string, act: () => Promise<void>): Promise<FrameTimes> {
  await page.evaluate(() => {
    const stamps: number[] = [];
    const note = (at: number) => {
      stamps.push(at);
      if (Reflect.get(globalThis, "frameStamps") === stamps) requestAnimationFrame(note);
    };
    Reflect.set(globalThis, "frameStamps", stamps);
    requestAnimationFrame(note);
  });
  await act();
  const { stamps, drawn } = await page.evaluate(() => {
    const stamps: number[] = Reflect.get(globalThis, "frameStamps");
    Reflect.set(globalThis, "frameStamps", null);
    return { stamps, drawn: document.querySelectorAll("[data-node]").length };
  });
  const gaps = stamps
    .slice(1)
    .map((at, index) => at - (stamps[index] ?? at))
    .toSorted((one, other) => one - other);
  const at = (share: number) =>
    Math.round((gaps[Math.min(gaps.length - 1, Math.floor(gaps.length * share))] ?? 0) * 10) / 10;
  return { what, drawn, frames: gaps.length, medianMs: at(0.5), p95Ms: at(0.95), worstMs: at(1) };
}
