-- A live gig keeps its terms: people earn by them. Every column counts but those of the start lock.
CREATE TRIGGER gigs_live_no_update
BEFORE UPDATE OF
	id, created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration, gig_type,
	platform, wallet_address, how_to_earn, earning_criteria, external_url, verifier
ON gigs WHEN OLD.status = 'live'
BEGIN
	SELECT RAISE(ABORT, 'a live gig cannot be changed');
END;
--> statement-breakpoint
CREATE TRIGGER gigs_live_no_delete
BEFORE DELETE ON gigs WHEN OLD.status = 'live'
BEGIN
	SELECT RAISE(ABORT, 'a live gig cannot be deleted');
END;
--> statement-breakpoint
-- REPLACE deletes the row in its way without firing delete triggers.
CREATE TRIGGER gigs_live_no_replace
BEFORE INSERT ON gigs
WHEN EXISTS (
	SELECT 1 FROM gigs WHERE status = 'live' AND (id = NEW.id OR wallet_address = NEW.wallet_address)
)
BEGIN
	SELECT RAISE(ABORT, 'a live gig cannot be replaced');
END;
