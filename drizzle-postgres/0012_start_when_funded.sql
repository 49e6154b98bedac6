ALTER TABLE "gigs" ADD COLUMN "start" text collate "C" DEFAULT 'on_request' NOT NULL;--> statement-breakpoint
ALTER TABLE "gigs" ADD COLUMN "start_until" bigint;--> statement-breakpoint
ALTER TABLE "gigs" ADD COLUMN "start_try_at" bigint;--> statement-breakpoint
ALTER TABLE "gigs" ADD COLUMN "start_refusal" text collate "C";--> statement-breakpoint
INSERT INTO gig_events (id) VALUES ('not_started');--> statement-breakpoint
CREATE INDEX "gigs_to_start" ON "gigs" USING btree ("id") WHERE gigs.start_until is not null;--> statement-breakpoint
ALTER TABLE "gigs" ADD CONSTRAINT "gigs_start" CHECK (start in ('on_request', 'when_funded'));--> statement-breakpoint
ALTER TABLE "gigs" ADD CONSTRAINT "gigs_start_until" CHECK (start_until is null or start = 'when_funded' and status = 'created' and cancelled_at is null);--> statement-breakpoint
ALTER TABLE "gigs" ADD CONSTRAINT "gigs_start_refusal" CHECK ((start_try_at is null) = (start_refusal is null));--> statement-breakpoint
DROP TRIGGER "gigs_live" ON "gigs";--> statement-breakpoint
CREATE TRIGGER "gigs_live" BEFORE DELETE OR UPDATE OF
	id, created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration, gig_type,
	platform, wallet_address, how_to_earn, earning_criteria, external_url, verifier, refund_address, award_days, start
ON "gigs" FOR EACH ROW WHEN (OLD.status = 'live') EXECUTE FUNCTION guard_live_gig();--> statement-breakpoint
DROP TRIGGER "gigs_cancelled" ON "gigs";--> statement-breakpoint
CREATE TRIGGER "gigs_cancelled" BEFORE DELETE OR UPDATE OF
	id, created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration, gig_type,
	platform, wallet_address, how_to_earn, earning_criteria, external_url, verifier, refund_address, award_days,
	start_lock_holder, cancelled_at, start
ON "gigs" FOR EACH ROW WHEN (OLD.cancelled_at IS NOT NULL) EXECUTE FUNCTION guard_cancelled_gig();
