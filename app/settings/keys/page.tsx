import type { Metadata } from "next";
import { AdminsOnly } from "../../../components/settings/settings-nav.tsx";
import { Keys } from "../../../components/settings/keys.tsx";
import { readAccess } from "../../server.ts";

export const metadata: Metadata = { title: "Keys and tokens" };

export default async function KeysPage() {
  return (await readAccess())?.scope === "admin" ? <Keys /> : <AdminsOnly />;
}
