import { EmptyFace } from "../ui/faces.tsx";

/** For whoever comes by a colleague's link and may not. */
export function AdminsOnly() {
  return (
    <EmptyFace title="This is for admins">
      An admin decides about people, keys and tokens, and reads the audit log. Ask one of them if you need something
      here.
    </EmptyFace>
  );
}
