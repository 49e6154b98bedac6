-- A column is added, because a table that is built anew would lose its triggers and the last id of a gig.
ALTER TABLE `gigs` ADD `title` text CONSTRAINT "gigs_title" CHECK(length(title) between 1 and 60);--> statement-breakpoint
DROP TRIGGER gigs_live_no_update;--> statement-breakpoint
CREATE TRIGGER gigs_live_no_update
BEFORE UPDATE OF
	id, created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration, gig_type,
	platform, wallet_address, how_to_earn, earning_criteria, external_url, verifier, refund_address, award_days, start, title
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
	start_lock_holder, cancelled_at, start, title
ON gigs WHEN OLD.cancelled_at IS NOT NULL
BEGIN
	SELECT RAISE(ABORT, 'a cancelled gig cannot be changed');
END;
