-- Columns are added, because a table that is built anew would lose its triggers and the last id of a gig.
ALTER TABLE `gigs` ADD `start` text DEFAULT 'on_request' NOT NULL CONSTRAINT "gigs_start" CHECK(start in ('on_request', 'when_funded'));--> statement-breakpoint
ALTER TABLE `gigs` ADD `start_until` integer CONSTRAINT "gigs_start_until" CHECK(start_until is null or start = 'when_funded' and status = 'created' and cancelled_at is null);--> statement-breakpoint
ALTER TABLE `gigs` ADD `start_try_at` integer;--> statement-breakpoint
ALTER TABLE `gigs` ADD `start_refusal` text CONSTRAINT "gigs_start_refusal" CHECK((start_try_at is null) = (start_refusal is null));--> statement-breakpoint
INSERT INTO gig_events (id) VALUES ('not_started');--> statement-breakpoint
CREATE INDEX `gigs_to_start` ON `gigs` (`id`) WHERE gigs.start_until is not null;--> statement-breakpoint
DROP TRIGGER gigs_live_no_update;--> statement-breakpoint
CREATE TRIGGER gigs_live_no_update
BEFORE UPDATE OF
	id, created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration, gig_type,
	platform, wallet_address, how_to_earn, earning_criteria, external_url, verifier, refund_address, award_days, start
ON gigs WHEN OLD.status = 'live'
BEGIN
	SELECT RAISE(ABORT, 'a live gig cannot be changed');
END;
--> statement-breakpoint
DROP TRIGGER gigs_cancelled_no_update;--> statement-breakpoint
CREATE TRIGGER gigs_cancelled_no_update
BEFORE UPDATE OF
	id, created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration, gig_type,
	platform, wallet_address, how_to_earn, earning_criteria, external_url, verifier, refund_address, award_days,
	start_lock_holder, cancelled_at, start
ON gigs WHEN OLD.cancelled_at IS NOT NULL
BEGIN
	SELECT RAISE(ABORT, 'a cancelled gig cannot be changed');
END;
