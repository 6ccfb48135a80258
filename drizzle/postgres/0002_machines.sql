CREATE TABLE "rate_bucket" (
	"name" text COLLATE "C" PRIMARY KEY NOT NULL,
	"tokens" double precision NOT NULL,
	"filled_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "store_fact" (
	"name" text COLLATE "C" PRIMARY KEY NOT NULL,
	"value" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
ALTER TABLE "worker" ADD COLUMN "is_leaving" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "rate_bucket_by_time" ON "rate_bucket" USING btree ("filled_at");