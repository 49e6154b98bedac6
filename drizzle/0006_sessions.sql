CREATE TABLE `sessions` (
	`hash` text PRIMARY KEY NOT NULL,
	`api_key_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`api_key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "sessions_hash" CHECK(length(hash) = 64 and hash not glob '*[^0-9a-f]*')
);
--> statement-breakpoint
CREATE INDEX `gigs_frozen` ON `gigs` (`id`) WHERE gigs.frozen_reason is not null;--> statement-breakpoint
CREATE INDEX `mentions_by_state` ON `mentions` (`state`);