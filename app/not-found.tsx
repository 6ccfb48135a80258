import Link from "next/link";
import { EmptyFace } from "../components/ui/faces.tsx";

export default function NotFound() {
  return (
    <EmptyFace title="There is no such page here">
      <p>
        The address may be mistyped, belong to another service, or name a run or delivery that retention has removed.{" "}
        <Link href="/" className="text-accent hover:underline">
          Go to the triggers
        </Link>
      </p>
    </EmptyFace>
  );
}
