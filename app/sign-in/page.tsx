import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { pageOf } from "../../components/auth/post-form.ts";
import { SignInForm } from "../../components/auth/sign-in-form.tsx";
import { readAccess } from "../server.ts";

export const metadata: Metadata = { title: "Sign in" };

export default async function SignInPage({ searchParams }: { searchParams: Promise<Record<string, string | string[] | undefined>> }) {
  const { next, failed } = await searchParams;
  const page = pageOf([next].flat()[0]);
  if (await readAccess()) redirect(page);
  return <SignInForm next={page} hasTokenFailed={failed === "token"} />;
}
