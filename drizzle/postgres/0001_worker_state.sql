ALTER TABLE "signalbox"."worker" ADD COLUMN "pool" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "signalbox"."worker" ADD COLUMN "is_responsive" boolean;--> statement-breakpoint
ALTER TABLE "signalbox"."worker" ADD COLUMN "free_slots" integer;