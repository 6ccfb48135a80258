"use client";

import { PageFrame } from "../components/shell/page-frame.tsx";
import { ErrorFace } from "../components/ui/faces.tsx";

/** A page that broke. In production React hides the message and gives a digest that the log bears too. */
export default function PageError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  const message = error.digest ? `The log of the service has the details: ${error.digest}` : error.message;
  return (
    <PageFrame>
      <title>This page could not be shown · Signalbox</title>
      <div className="rounded-l border bg-panel">
        <ErrorFace what="This page could not be shown" message={message} retry={reset} />
      </div>
    </PageFrame>
  );
}
