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