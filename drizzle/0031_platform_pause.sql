ALTER TABLE `poll_cursors` ADD `paused_until` integer;--> statement-breakpoint
ALTER TABLE `poll_cursors` ADD `pause_reason` text;