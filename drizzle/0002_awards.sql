CREATE TABLE `idempotency_keys` (
	`scope` text NOT NULL,
	`key` text NOT NULL,
	`fingerprint` text NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`scope`, `key`)
);
--> statement-breakpoint
-- Added, not rebuilt: a rebuilt table loses its triggers and the last id that it gave out.
ALTER TABLE `gigs` ADD `awarded_amount` text DEFAULT '0' NOT NULL CONSTRAINT "gigs_awarded" CHECK(awarded_amount <> '' and awarded_amount not glob '*[^0-9]*');--> statement-breakpoint
CREATE INDEX `gigs_by_status` ON `gigs` (`platform`,`status`);--> statement-breakpoint
CREATE INDEX `gigs_live_windows` ON `gigs` (`platform`,`end_time`,`start_time`) WHERE gigs.status = 'live';--> statement-breakpoint
CREATE INDEX `tips_by_gig` ON `tips` (`gig_id`,`platform`,`platform_user_id`);
