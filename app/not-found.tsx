import type { Metadata } from "next";
import { PageFrame } from "../components/shell/page-frame.tsx";
import { ButtonLink } from "../components/ui/controls/button.tsx";

export const metadata: Metadata = { title: "Page not found" };

export default function NotFound() {
  return (
    <PageFrame>
      <div className="max-w-[68ch] pt-[6vh]">
        <h1 className="text-xl font-[640] tracking-[-0.015em]">Page not found</h1>
        <p className="mt-2 text-ink-2">
          The URL may be mistyped or belong to another service. Runs and deliveries are deleted after their retention
          period.
        </p>
        <div className="mt-5 flex flex-wrap gap-2">
          <ButtonLink href="/" tone="primary">
            Go to the canvas
          </ButtonLink>
          <ButtonLink href="/deliveries">Deliveries</ButtonLink>
          <ButtonLink href="/runs">Runs</ButtonLink>
        </div>
      </div>
    </PageFrame>
  );
}
