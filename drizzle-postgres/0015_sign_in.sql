CREATE TABLE "owner_sessions" (
	"hash" text collate "C" PRIMARY KEY NOT NULL,
	"owner" text collate "C" NOT NULL,
	"label" text collate "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	CONSTRAINT "owner_sessions_hash" CHECK (hash ~ '^[0-9a-f]{64}$')
);
--> statement-breakpoint
CREATE TABLE "sign_ins" (
	"hash" text collate "C" PRIMARY KEY NOT NULL,
	"browser" text collate "C" NOT NULL,
	"way" text collate "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"used_at" bigint,
	CONSTRAINT "sign_ins_hash" CHECK (hash ~ '^[0-9a-f]{64}$'),
	CONSTRAINT "sign_ins_browser" CHECK (browser ~ '^[0-9a-f]{64}$'),
	CONSTRAINT "sign_ins_way" CHECK (way in ('farcaster', 'wallet'))
);
--> statement-breakpoint
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_actor";--> statement-breakpoint
ALTER TABLE "gigs" ADD COLUMN "owners_may_award" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "owner_sessions_by_owner" ON "owner_sessions" USING btree ("owner");--> statement-breakpoint
CREATE INDEX "owner_sessions_by_expiry" ON "owner_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sign_ins_by_expiry" ON "sign_ins" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "gig_owners_gigs" ON "gig_owners" USING btree ("platform","platform_user_id","gig_id");--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_actor" CHECK (actor in ('api_key', 'account', 'owner', 'operator', 'job'));--> statement-breakpoint
ALTER TABLE "gigs" ADD CONSTRAINT "gigs_owners_may_award" CHECK (true);--> statement-breakpoint
DROP TRIGGER "gigs_live" ON "gigs";--> statement-breakpoint
CREATE TRIGGER "gigs_live" BEFORE DELETE OR UPDATE OF
	id, created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration, gig_type,
	platform, wallet_address, how_to_earn, earning_criteria, external_url, verifier, refund_address, award_days, start, title,
	owners_may_award
ON "gigs" FOR EACH ROW WHEN (OLD.status = 'live') EXECUTE FUNCTION guard_live_gig();--> statement-breakpoint
DROP TRIGGER "gigs_cancelled" ON "gigs";--> statement-breakpoint
CREATE TRIGGER "gigs_cancelled" BEFORE DELETE OR UPDATE OF
	id, created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration, gig_type,
	platform, wallet_address, how_to_earn, earning_criteria, external_url, verifier, refund_address, award_days, start, title,
	owners_may_award, start_lock_holder, cancelled_at
ON "gigs" FOR EACH ROW WHEN (OLD.cancelled_at IS NOT NULL) EXECUTE FUNCTION guard_cancelled_gig();
