CREATE TABLE `verdict_set` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`hash` text NOT NULL,
	`decided` text NOT NULL,
	`verdicts` blob NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `verdict_set_by_hash` ON `verdict_set` (`hash`);--> statement-breakpoint
ALTER TABLE `delivery` ADD `verdict_set` integer REFERENCES verdict_set(id);--> statement-breakpoint
CREATE INDEX `delivery_by_verdict_set` ON `delivery` (`verdict_set`) WHERE verdict_set IS NOT NULL;