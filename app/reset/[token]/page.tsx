import type { Metadata } from "next";
import { ResetForm, UnusableLink } from "../../../components/auth/link-forms.tsx";
import { signalbox } from "../../server.ts";

export const metadata: Metadata = { title: "New password" };

export default async function ResetPage({ params }: { params: Promise<{ token: string }> }) {
  const { token } = await params;
  const link = await signalbox().findInvitation(token);
  if (link?.kind !== "reset") return <UnusableLink command="signalbox people reset-password <email>" />;
  return <ResetForm token={token} email={link.note} />;
}
