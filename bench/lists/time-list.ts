import type { Page, PageRequest } from "../../server/contract/list.ts";
import { measure, type Timing } from "./measure.ts";

export interface ListTiming {
  first: Timing & { rows: number };
  deep: Timing & { rows: number };
  /** The number of pages and the time to fill a screen of 50 rows, or to reach the end. Stops after 200 pages. */
  screen: { pages: number; rows: number; ms: number; isEnd: boolean };
}

const limit = 50;
const maxPages = 200;

/** `deepCursor` is in the middle of the whole list. */
export async function timeList(
  read: (page: PageRequest) => Promise<Page<unknown>>,
  p: { deepCursor: string; times: number },
): Promise<ListTiming> {
  const first = await measure(p.times, () => read({ limit, cursor: null }));
  const deep = await measure(p.times, () => read({ limit, cursor: p.deepCursor }));
  return {
    first: { ...first, rows: first.answer.data.length },
    deep: { ...deep, rows: deep.answer.data.length },
    screen: await fillScreen(read),
  };
}

async function fillScreen(read: (page: PageRequest) => Promise<Page<unknown>>): Promise<ListTiming["screen"]> {
  const began = performance.now();
  let rows = 0;
  let cursor: string | null = null;
  for (let pages = 1; ; pages += 1) {
    const page: Page<unknown> = await read({ limit, cursor });
    rows += page.data.length;
    cursor = page.nextCursor;
    if (rows >= limit || cursor === null || pages === maxPages)
      return { pages, rows, ms: performance.now() - began, isEnd: cursor === null };
  }
}
