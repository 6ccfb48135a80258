-- Counters lie in the order of their key, with nothing beside it: reading a window is one walk. Drizzle cannot say WITHOUT ROWID.
CREATE TABLE `new_traffic` (
	`bucket_ms` integer NOT NULL,
	`endpoint` text NOT NULL,
	`attachment_id` text NOT NULL,
	`at` integer NOT NULL,
	`outcome` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`bucket_ms`, `endpoint`, `attachment_id`, `at`, `outcome`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_traffic` SELECT `bucket_ms`, `endpoint`, `attachment_id`, `at`, `outcome`, `count` FROM `traffic` ORDER BY 1, 2, 3, 4, 5;--> statement-breakpoint
DROP TABLE `traffic`;--> statement-breakpoint
ALTER TABLE `new_traffic` RENAME TO `traffic`;
