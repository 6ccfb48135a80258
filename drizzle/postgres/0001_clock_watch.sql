CREATE TABLE "signalbox"."clock_watch" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"seen_at" bigint NOT NULL,
	"trusted_at" bigint,
	"waiting_since" bigint
);
