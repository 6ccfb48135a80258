import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { PageFrame } from "../../../components/shell/page-frame.tsx";
import { Facts, Panel } from "../../../components/ui/page-layout.tsx";
import { type ErrorCodeEntry, errorCodes, resendAdvice } from "../../../server/contract/error-codes.ts";

interface Props {
  params: Promise<{ code: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: findEntry((await params).code)?.title ?? "Unknown error code" };
}

/** The page that a problem's `type` links to: the cause of the error, and how to fix it. */
export default async function ErrorCodePage({ params }: Props) {
  const { code } = await params;
  const entry = findEntry(code);
  if (!entry) notFound();
  return (
    <PageFrame>
      <div className="max-w-[76ch]">
        <p className="text-s text-ink-3">
          Error code <code>{code}</code>
        </p>
        <h1 className="mt-1 text-xl font-[640] tracking-[-0.015em]">{entry.title}</h1>
        <Facts facts={[["HTTP status", String(entry.status)]]} />
        <div className="grid gap-4">
          <Panel title="Cause">
            <p className="px-4 py-3">{withCode(entry.why)}</p>
          </Panel>
          <Panel title="How to fix it">
            <p className="px-4 pt-3">{withCode(entry.fix)}</p>
            <p className="px-4 py-3">{resendAdvice(entry)}</p>
          </Panel>
        </div>
      </div>
    </PageFrame>
  );
}

function findEntry(code: string): ErrorCodeEntry | undefined {
  return Object.entries(errorCodes).find(([known]) => known === code)?.[1];
}

/** Renders text in backticks as code. */
function withCode(text: string) {
  return text.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}
