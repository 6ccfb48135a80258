import type { ServerResponse } from "node:http";
import { retryAfterSeconds } from "../../domain/problem.ts";

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="${retryAfterSeconds}">
<title>Signalbox is restarting</title>
</head>
<body>
<h1>Signalbox is restarting</h1>
<p>Webhooks are still received. This page reloads in ${retryAfterSeconds} seconds.</p>
</body>
</html>
`;

/** The page for browsers while web restarts or is overloaded. */
export function sendUnavailablePage(response: ServerResponse): void {
  response
    .writeHead(503, {
      "content-type": "text/html; charset=utf-8",
      "content-length": Buffer.byteLength(page),
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "retry-after": retryAfterSeconds,
    })
    .end(page);
}
