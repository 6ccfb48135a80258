import { EmptyFace } from "../ui/faces.tsx";

/** Shown on admin pages to people without the admin role. */
export function AdminsOnly() {
  return (
    <EmptyFace title="Admins only">
      Only admins can manage people, keys and tokens, and read the audit log. Ask an admin for access.
    </EmptyFace>
  );
}
