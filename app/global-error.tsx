"use client";

import "./globals.css";
import { ErrorFace } from "../components/ui/faces.tsx";

/** The frame itself broke, most often because the service behind the pages could not start. */
export default function GlobalError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <html lang="en">
      <body>
        <title>Signalbox cannot be shown</title>
        <ErrorFace
          what="Signalbox cannot be shown"
          message={error.digest ? `The log of the service has the details: ${error.digest}` : error.message}
          retry={reset}
        />
      </body>
    </html>
  );
}
