DROP INDEX "run_open";--> statement-breakpoint
DROP INDEX "run_by_lease";--> statement-breakpoint
ALTER TABLE "run" ADD COLUMN "attempts_before" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "run" ADD COLUMN "resumed_at" bigint;--> statement-breakpoint
ALTER TABLE "run" ADD COLUMN "job_queue" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "worker" ADD COLUMN "kept_versions" text COLLATE "C" DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX "run_failed" ON "run" USING btree ("created_at","id","trigger","target_slug","target_kind","version") WHERE status IN ('failed', 'timed_out');--> statement-breakpoint
CREATE INDEX "run_queued_by_target" ON "run" USING btree ("target") WHERE status = 'queued';--> statement-breakpoint
ALTER TABLE "run" DROP COLUMN "lease_until";--> statement-breakpoint
CREATE TABLE "alert" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"subject" text COLLATE "C" NOT NULL,
	"count" bigint NOT NULL,
	"detail" text NOT NULL,
	"opened_at" bigint NOT NULL,
	"last_at" bigint NOT NULL,
	"resolved_at" bigint,
	"reported_count" bigint
);
--> statement-breakpoint
CREATE TABLE "alert_message" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"alert_id" text COLLATE "C" NOT NULL,
	"type" text COLLATE "C" NOT NULL,
	"destination" text COLLATE "C" NOT NULL,
	"alert" text NOT NULL,
	"created_at" bigint NOT NULL,
	"attempts" bigint DEFAULT 0 NOT NULL,
	"due_at" bigint,
	"sent_at" bigint,
	"error" text COLLATE "C"
);
--> statement-breakpoint
CREATE TABLE "alert_watch" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"evaluated_at" bigint NOT NULL,
	"revision" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
DROP INDEX "run_by_target";--> statement-breakpoint
ALTER TABLE "run" ADD COLUMN "failure_of" text COLLATE "C";--> statement-breakpoint
CREATE UNIQUE INDEX "alert_open" ON "alert" USING btree ("kind","subject") WHERE resolved_at IS NULL;--> statement-breakpoint
CREATE INDEX "alert_by_time" ON "alert" USING btree ("opened_at","id");--> statement-breakpoint
CREATE INDEX "alert_by_end" ON "alert" USING btree ("resolved_at");--> statement-breakpoint
CREATE INDEX "alert_message_by_alert" ON "alert_message" USING btree ("alert_id","created_at");--> statement-breakpoint
CREATE INDEX "alert_message_by_time" ON "alert_message" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "alert_message_due" ON "alert_message" USING btree ("due_at") WHERE due_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "run_by_failure" ON "run" USING btree ("failure_of","created_at","id") WHERE failure_of IS NOT NULL;--> statement-breakpoint
CREATE INDEX "run_by_failure_time" ON "run" USING btree ("target","finished_at") WHERE status IN ('failed', 'timed_out');--> statement-breakpoint
CREATE INDEX "run_by_target" ON "run" USING btree ("target_slug","created_at","id","target_kind","status","started_at","finished_at","trigger","version","failure_of");--> statement-breakpoint
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
--> statement-breakpoint
CREATE TABLE "run_start" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"body_sha256" text COLLATE "C" NOT NULL,
	"at" bigint NOT NULL,
	"runs" text NOT NULL
);
--> statement-breakpoint
CREATE INDEX "run_start_by_time" ON "run_start" USING btree ("at");--> statement-breakpoint
DROP INDEX "run_running_by_target";--> statement-breakpoint
DROP INDEX "run_by_worker";--> statement-breakpoint
CREATE INDEX "run_queued_isolated" ON "run" USING btree ("id") WHERE status = 'queued' AND is_isolated;--> statement-breakpoint
CREATE INDEX "run_held" ON "run" USING btree ("target","worker_id") WHERE worker_id IS NOT NULL;
--> statement-breakpoint
CREATE TABLE "content_key" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"since" bigint NOT NULL,
	"retired_at" bigint
);
