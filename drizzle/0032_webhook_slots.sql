ALTER TABLE `webhook_endpoints` ADD `asked_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `webhook_endpoints` ADD `slow_at` integer DEFAULT 0 NOT NULL;