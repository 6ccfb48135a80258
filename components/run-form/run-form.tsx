"use client";

import dynamic from "next/dynamic";
import { FormSkeleton } from "./form-skeleton.tsx";
import type { RunSubject } from "./run-subject.ts";

const LoadedRunForm = dynamic(() => import("./run-form-panel.tsx").then(({ RunFormPanel }) => RunFormPanel), {
  ssr: false,
  loading: () => <FormSkeleton />,
});

/** A form for a test event, a run, or a replay with changes. Its code is loaded when it is first shown. */
export function RunForm(props: { subject: RunSubject }) {
  return <LoadedRunForm {...props} />;
}
