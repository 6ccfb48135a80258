ALTER TABLE `worker` ADD `pool` text;--> statement-breakpoint
ALTER TABLE `worker` ADD `is_responsive` integer;--> statement-breakpoint
ALTER TABLE `worker` ADD `free_slots` integer;