import { type NextRequest, NextResponse } from "next/server";

/** Next's hook before each page: a Content Security Policy with a fresh nonce, and the other headers of pages. */
export function proxy(request: NextRequest): NextResponse {
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64");
  const policy = contentSecurityPolicy(nonce, process.env.NODE_ENV === "development");
  const headers = new Headers(request.headers);
  headers.set("x-nonce", nonce);
  headers.set("content-security-policy", policy);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set("content-security-policy", policy);
  response.headers.set("x-content-type-options", "nosniff");
  response.headers.set("referrer-policy", "same-origin");
  response.headers.set("x-frame-options", "DENY");
  response.headers.set("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()");
  response.headers.set("cross-origin-opener-policy", "same-origin");
  return response;
}

/** Pages only: the receiver sets its own headers, and static files need none. */
export const config = { matcher: ["/((?!_next/static/|triggers/).*)"] };

/** Nothing but this service itself. In development React needs eval for its stacks, and the dev overlay sets styles. */
function contentSecurityPolicy(nonce: string, isDevelopment: boolean): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${isDevelopment ? " 'unsafe-eval'" : ""}`,
    isDevelopment ? "style-src 'self' 'unsafe-inline'" : `style-src 'self' 'nonce-${nonce}'`,
    // Positions that are known only in the browser (nodes, rows, menus) are style attributes. React sets them property
    // by property, and no text is rendered as markup, so an attribute cannot be injected. <style> elements stay
    // forbidden.
    "style-src-attr 'unsafe-inline'",
    // The canvas is laid out off the main thread, by a worker that is a file of ours.
    "worker-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
