import { describe, expect, it } from "vitest";
import { approvalName as name, withApproval } from "../testing/held-run.ts";
import { openTestService } from "../testing/test-service.ts";

describe("POST /api/v1/runs/{id}/approvals", () => {
  it("decides the approval of a run, once, and wakes a worker", async () => {
    const service = await openTestService();
    const id = await withApproval(service);
    const answer = await service.post(`/api/v1/runs/${id}/approvals`, { name, isApproved: false, reason: "No" });
    expect([answer.status, answer.json]).toMatchObject([200, { id, status: "waiting" }]);
    expect(service.state.queued).toBe(1);
    expect((await service.get(`/api/v1/runs/${id}/agent`)).json).toMatchObject({
      steps: [],
      approvals: [
        { name, request: { toolName: "refund" }, decision: { isApproved: false, reason: "No", by: "machine" } },
      ],
      costUsd: null,
    });
    const again = await service.post(`/api/v1/runs/${id}/approvals`, { name, isApproved: true });
    expect([again.status, again.json]).toMatchObject([409, { code: "approval_closed" }]);
  });

  it("is in the audit log, with its actor", async () => {
    const service = await openTestService();
    const id = await withApproval(service);
    await service.post(`/api/v1/runs/${id}/approvals`, { name, isApproved: true });
    const { data } = await service.store.listAudit({}, { limit: 1, cursor: null });
    expect(data).toMatchObject([{ action: "approval.decided", subject: id, actor: { kind: "machine" } }]);
  });

  it("answers 404 for unknown approvals", async () => {
    const service = await openTestService();
    const id = await withApproval(service);
    expect((await service.post(`/api/v1/runs/${id}/approvals`, { name: "approval 9", isApproved: true })).status).toBe(
      404,
    );
    expect((await service.post("/api/v1/runs/run_unknown/approvals", { name, isApproved: true })).status).toBe(404);
    expect((await service.post(`/api/v1/runs/${id}/approvals`, { name })).status).toBe(422);
  });
});
