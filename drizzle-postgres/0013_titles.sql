ALTER TABLE "gigs" ADD COLUMN "title" text collate "C";--> statement-breakpoint
ALTER TABLE "gigs" ADD CONSTRAINT "gigs_title" CHECK (length(title) between 1 and 60);
--> statement-breakpoint
DROP TRIGGER "gigs_live" ON "gigs";--> statement-breakpoint
CREATE TRIGGER "gigs_live" BEFORE DELETE OR UPDATE OF
	id, created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration, gig_type,
	platform, wallet_address, how_to_earn, earning_criteria, external_url, verifier, refund_address, award_days, start, title
ON "gigs" FOR EACH ROW WHEN (OLD.status = 'live') EXECUTE FUNCTION guard_live_gig();--> statement-breakpoint
DROP TRIGGER "gigs_cancelled" ON "gigs";--> statement-breakpoint
CREATE TRIGGER "gigs_cancelled" BEFORE DELETE OR UPDATE OF
	id, created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration, gig_type,
	platform, wallet_address, how_to_earn, earning_criteria, external_url, verifier, refund_address, award_days,
	start_lock_holder, cancelled_at, start, title
ON "gigs" FOR EACH ROW WHEN (OLD.cancelled_at IS NOT NULL) EXECUTE FUNCTION guard_cancelled_gig();
