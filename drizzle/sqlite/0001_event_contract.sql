CREATE TABLE `event_contract` (
	`id` text PRIMARY KEY NOT NULL,
	`endpoint` text NOT NULL,
	`kind` text NOT NULL,
	`revision` integer NOT NULL,
	`last_seen` integer NOT NULL,
	`content` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `event_contract_by_endpoint` ON `event_contract` (`endpoint`,`kind`);--> statement-breakpoint
CREATE INDEX `event_contract_by_age` ON `event_contract` (`last_seen`);