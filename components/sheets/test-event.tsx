import { SheetSkeleton } from "./sheet-frame.tsx";

export function TestEvent({ slug, endpoint }: { slug: string; endpoint: string }) {
  return <SheetSkeleton label={`The form of ${slug} on ${endpoint} is being read`} />;
}
