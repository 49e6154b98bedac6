CREATE TABLE `names` (
	`id` integer PRIMARY KEY NOT NULL,
	`platform` text NOT NULL,
	`platform_user_id` text NOT NULL,
	`name` text NOT NULL,
	`address` text NOT NULL,
	`asked_at` integer NOT NULL,
	`confirmed_at` integer,
	FOREIGN KEY (`platform`,`platform_user_id`) REFERENCES `accounts`(`platform`,`platform_user_id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "names_address" CHECK(length(address) = 42 and address glob '0x*' and substr(address, 3) not glob '*[^0-9a-f]*')
);
--> statement-breakpoint
CREATE UNIQUE INDEX `names_by_account` ON `names` (`platform`,`platform_user_id`,`name`);--> statement-breakpoint
-- A column is added, because a table that is built anew would lose its triggers and the last id of a gig.
ALTER TABLE `gigs` ADD `refund_name` text CONSTRAINT "gigs_refund_name" CHECK(refund_name is null or refund_address is not null);--> statement-breakpoint
DROP TRIGGER gigs_live_no_update;--> statement-breakpoint
CREATE TRIGGER gigs_live_no_update
BEFORE UPDATE OF
	id, created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration, gig_type,
	platform, wallet_address, how_to_earn, earning_criteria, external_url, verifier, refund_address, award_days, start, title,
	owners_may_award, refund_name
ON gigs WHEN OLD.status = 'live'
BEGIN
	SELECT RAISE(ABORT, 'a live gig cannot be changed');
END;
--> statement-breakpoint
DROP TRIGGER gigs_cancelled_no_update;--> statement-breakpoint
CREATE TRIGGER gigs_cancelled_no_update
BEFORE UPDATE OF
	id, created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration, gig_type,
	platform, wallet_address, how_to_earn, earning_criteria, external_url, verifier, refund_address, award_days, start, title,
	owners_may_award, start_lock_holder, cancelled_at, refund_name
ON gigs WHEN OLD.cancelled_at IS NOT NULL
BEGIN
	SELECT RAISE(ABORT, 'a cancelled gig cannot be changed');
END;
