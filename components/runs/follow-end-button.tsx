import { ArrowDown } from "lucide-react";
import { Button } from "../ui/button.tsx";

/** Shown over the lower edge of growing content after the reader scrolled up. */
export function FollowEndButton({ onClick }: { onClick: () => void }) {
  return (
    <div className="absolute inset-x-0 bottom-3 flex justify-center">
      <Button size="s" icon={ArrowDown} onClick={onClick} className="shadow-raised">
        Follow the end
      </Button>
    </div>
  );
}
