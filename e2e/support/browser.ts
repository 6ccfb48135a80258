import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type ConsoleMessage,
  type Dialog,
  type Page,
  type Request,
} from "playwright";
import { onTestFinished } from "vitest";
import { findOrInstall } from "../../scripts/test-tools.ts";

const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

export interface Visit {
  page: Page;
  /** Errors of the page and of its console, Content-Security-Policy violations among them. */
  errors: string[];
  /** Requests to anywhere but the service. */
  foreignRequests: string[];
}

export type VisitOptions = Pick<BrowserContextOptions, "viewport" | "colorScheme" | "reducedMotion" | "permissions">;

/** One browser for all files of a worker. It ends with the worker. */
let browser: Promise<Browser> | null = null;

/**
 * Pages of earlier tests, empty now. In such a page the scripts of the same service load in a third of the CPU time:
 * they are already compiled.
 */
const idlePages: { origin: string; page: Page }[] = [];
const maxIdlePages = 4;

/** Opens a page on the service, with storage, cookies and history of its own. Left when the test ends. */
export async function visit(origin: string, options: VisitOptions = {}): Promise<Visit> {
  const page = (await reusePage(origin)) ?? (await openPage());
  page.setDefaultTimeout(180_000);
  await page.setViewportSize(options.viewport ?? { width: 1_280, height: 720 });
  await page.emulateMedia({
    colorScheme: options.colorScheme ?? "light",
    reducedMotion: options.reducedMotion ?? "no-preference",
  });
  await page.context().grantPermissions(options.permissions ?? [], { origin });
  const errors: string[] = [];
  const foreignRequests: string[] = [];
  const onPageError = (error: Error) => void errors.push(String(error));
  const onConsole = (message: ConsoleMessage) => {
    if (message.type() === "error") errors.push(message.text());
  };
  const onDialog = (dialog: Dialog) => {
    errors.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  };
  const onRequest = (request: Request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith("data:") && !request.url().startsWith("blob:"))
      foreignRequests.push(request.url());
  };
  page.on("pageerror", onPageError).on("console", onConsole).on("dialog", onDialog).on("request", onRequest);
  onTestFinished(async ({ task }) => {
    page.off("pageerror", onPageError).off("console", onConsole).off("dialog", onDialog).off("request", onRequest);
    if (task.result?.state !== "fail") return leavePage(origin, page);
    process.stderr.write(`${await describePage(page)}\n`);
    await page.context().close();
  });
  return { page, errors, foreignRequests };
}

async function openPage(): Promise<Page> {
  browser ??= launch();
  return (await (await browser).newContext()).newPage();
}

/** A browser that cannot start or crashes fails one test: the next one gets another. */
async function launch(): Promise<Browser> {
  try {
    const opened = await chromium.launch({ executablePath: findOrInstall("chromium"), args });
    return opened.once("disconnected", forgetBrowser);
  } catch (error) {
    forgetBrowser();
    throw error;
  }
}

function forgetBrowser(): void {
  browser = null;
  idlePages.length = 0;
}

/**
 * Makes all pages of the browser as slow as on a machine with `1 / times` of the speed, until `body` has ended. Their
 * processes are paused most of the time. The throttling of the developer tools takes the CPU from others.
 */
export async function onSlowMachine(page: Page, times: number, body: () => Promise<void>): Promise<void> {
  const devtools = await page.context().browser()?.newBrowserCDPSession();
  const { processInfo = [] } = (await devtools?.send("SystemInfo.getProcessInfo")) ?? {};
  const renderers = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
  if (renderers.length === 0) throw new Error("The browser names no process that shows pages.");
  const send = (signal: "SIGSTOP" | "SIGCONT") => {
    for (const pid of renderers) process.kill(pid, signal);
  };
  let resuming: NodeJS.Timeout | undefined;
  const pausing = setInterval(() => {
    send("SIGSTOP");
    resuming = setTimeout(send, slowPeriodMs * (1 - 1 / times), "SIGCONT");
  }, slowPeriodMs);
  try {
    await body();
  } finally {
    clearInterval(pausing);
    clearTimeout(resuming);
    send("SIGCONT");
    await devtools?.detach();
  }
}

const slowPeriodMs = 80;

/** Until the test ends, the documents that this page loads have no shared workers, as in some browsers. */
export async function removeSharedWorker(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Page.enable");
  await devtools.send("Page.addScriptToEvaluateOnNewDocument", { source: "delete window.SharedWorker" });
  onTestFinished(() => devtools.detach());
}

/** The messages in the corner of the page. A screen reader gets each of them a second time, elsewhere. */
export const messagesOf = (page: Page) => page.getByRole("region", { name: /^Messages/ });

/** How far the content of the page is scrolled, px. */
export function pageTop(page: Page): Promise<number> {
  return page.evaluate(() => document.getElementById("content")?.scrollTop ?? 0);
}

/** By how much the page is wider than the window, px. */
export function sidewaysOverflow(page: Page): Promise<number> {
  return page.evaluate(() =>
    Math.max(
      ...[document.documentElement, document.getElementById("content")].map((element) =>
        element ? element.scrollWidth - element.clientWidth : 0,
      ),
    ),
  );
}

/** Moves the focus through all of the page. Returns the elements that moved the frame of the app, and how far. */
export function shellShifts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const shifts: string[] = [];
    const check = (by: string) => {
      const root = document.scrollingElement ?? document.documentElement;
      const around: Element[] = [];
      for (let at = document.getElementById("content")?.parentElement ?? null; at; at = at.parentElement)
        around.push(at);
      const moved = around.filter((element) => element.scrollTop !== 0 || element.scrollLeft !== 0);
      const headerAt = document.querySelector("header")?.getBoundingClientRect().top ?? 0;
      if (root.scrollHeight !== innerHeight || headerAt !== 0 || moved.length > 0)
        shifts.push(`${by}: ${root.scrollHeight} of ${innerHeight} px, header at ${headerAt} px`);
    };
    check("page");
    const before = document.activeElement;
    for (const element of document.querySelectorAll<HTMLElement>(
      "a, button, input, select, textarea, summary, [tabindex]",
    )) {
      element.focus();
      if (document.activeElement === element) check(element.outerHTML.slice(0, 120));
    }
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    if (before instanceof HTMLElement) before.focus();
    return shifts;
  });
}

/** What a failed test left on the page, for the log. */
async function describePage(page: Page): Promise<string> {
  const content = await page
    .locator("body")
    .ariaSnapshot({ timeout: 10_000 })
    .catch((error: unknown) => String(error));
  return `The test ended on ${page.url()}:\n${content}`;
}

/** Stops all that the page does. It is emptied when it is used again. */
async function leavePage(origin: string, page: Page): Promise<void> {
  for (const other of page.context().pages()) if (other !== page) await other.close();
  // A page with routes has no cache.
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.goto("about:blank");
  idlePages.push({ origin, page });
  for (const { page: oldest } of idlePages.splice(0, idlePages.length - maxIdlePages)) await oldest.context().close();
}

/** A page that an earlier test left, as if it were new. */
async function reusePage(origin: string): Promise<Page | null> {
  const index = idlePages.findIndex((idle) => idle.origin === origin);
  const page = index < 0 ? undefined : idlePages.splice(index, 1)[0]?.page;
  if (!page) return null;
  const context = page.context();
  await context.clearCookies();
  await context.clearPermissions();
  // An address without scripts: none of them can write while the storage is emptied.
  await page.goto(`${origin}/healthz`);
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await page.mouse.move(-10, -10);
  await page.goto("about:blank");
  const devtools = await context.newCDPSession(page);
  await devtools.send("Page.resetNavigationHistory");
  await devtools.detach();
  return page;
}
