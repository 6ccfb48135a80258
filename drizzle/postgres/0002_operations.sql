CREATE TABLE "signalbox"."clock_watch" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"seen_at" bigint NOT NULL,
	"trusted_at" bigint,
	"waiting_since" bigint
);
--> statement-breakpoint
CREATE TABLE "signalbox"."removed_person" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"email" text COLLATE "C" NOT NULL,
	"removed_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "removed_person_by_email" ON "signalbox"."removed_person" USING btree ("email");