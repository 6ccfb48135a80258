CREATE TABLE "run_live" (
	"run_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"token" text COLLATE "C" NOT NULL,
	"step" text COLLATE "C" NOT NULL,
	"attempt" integer NOT NULL,
	"started_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	"revision" bigint NOT NULL,
	"said" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "run" ADD COLUMN "tokens" bigint;--> statement-breakpoint
ALTER TABLE "run" ADD COLUMN "cost_usd" double precision;--> statement-breakpoint
ALTER TABLE "run_live" ADD CONSTRAINT "run_live_run_id_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."run"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "run_by_spend" ON "run" USING btree ("created_at","id","tokens","cost_usd","target_slug","status","trigger","version") WHERE tokens IS NOT NULL;