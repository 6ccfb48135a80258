DROP INDEX "run_open";--> statement-breakpoint
DROP INDEX "run_by_lease";--> statement-breakpoint
ALTER TABLE "run" ADD COLUMN "attempts_before" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "run" ADD COLUMN "resumed_at" bigint;--> statement-breakpoint
ALTER TABLE "run" ADD COLUMN "job_queue" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "worker" ADD COLUMN "kept_versions" text COLLATE "C" DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX "run_failed" ON "run" USING btree ("created_at","id","trigger","target_slug","target_kind","version") WHERE status IN ('failed', 'timed_out');--> statement-breakpoint
CREATE INDEX "run_queued_by_target" ON "run" USING btree ("target") WHERE status = 'queued';--> statement-breakpoint
ALTER TABLE "run" DROP COLUMN "lease_until";--> statement-breakpoint
CREATE TABLE "event_contract" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"endpoint" text COLLATE "C" NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"revision" bigint NOT NULL,
	"last_seen" bigint NOT NULL,
	"content" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
CREATE INDEX "event_contract_by_endpoint" ON "event_contract" USING btree ("endpoint","kind");--> statement-breakpoint
CREATE INDEX "event_contract_by_age" ON "event_contract" USING btree ("last_seen");