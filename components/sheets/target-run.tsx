import type { Target } from "../../server/contract/target.ts";
import { SheetSkeleton } from "./sheet-frame.tsx";

export function TargetRun({ target }: { target: Target }) {
  return <SheetSkeleton label={`The form of ${target.slug} is being read`} />;
}
