"use client";

import { ErrorFace } from "../components/ui/faces.tsx";

/** A page that broke. In production React hides the message and gives a digest that the log bears too. */
export default function PageError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return <ErrorFace what="This page could not be shown" message={error.digest ? `The log of the service has the details: ${error.digest}` : error.message} retry={reset} />;
}
