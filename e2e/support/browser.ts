import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright";
import { afterAll, onTestFinished } from "vitest";
import { findOrInstall } from "../../scripts/test-tools.ts";

const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];

export interface Visit {
  page: Page;
  /** Errors of the page and of its console, Content-Security-Policy violations among them. */
  errors: string[];
  /** Requests to anywhere but the service. */
  foreignRequests: string[];
}

/** One browser for all tests of a file. */
let browser: Promise<Browser> | null = null;
afterAll(async () => (await browser)?.close());

/** Opens a page on the service, with storage and cookies of its own. Closed when the test ends. */
export async function visit(origin: string, options: BrowserContextOptions = {}): Promise<Visit> {
  browser ??= chromium.launch({ executablePath: findOrInstall("chromium"), args });
  const context = await (await browser).newContext(options);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const errors: string[] = [];
  const foreignRequests: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  page.on("dialog", (dialog) => {
    errors.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith("data:") && !request.url().startsWith("blob:")) foreignRequests.push(request.url());
  });
  return { page, errors, foreignRequests };
}
