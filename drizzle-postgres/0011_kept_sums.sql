-- All that is listed of a gig's payments is found by kind and state, and its void tips by their numbers. The index of adopted
-- payouts names the kind in a way by which SQLite looks in no other index.
DROP INDEX "payments_by_gig";--> statement-breakpoint
CREATE INDEX "payments_by_gig" ON "payments" USING btree ("gig_id","kind","state");--> statement-breakpoint
DROP INDEX "payments_adopted";--> statement-breakpoint
CREATE INDEX "payments_adopted" ON "payments" USING btree ("claim_id") WHERE payments.claim_id is null and not payments.kind <> 'payout';--> statement-breakpoint
DROP INDEX "tips_void";--> statement-breakpoint
CREATE INDEX "tips_void" ON "tips" USING btree ("gig_id","number") WHERE tips.is_void;--> statement-breakpoint
ALTER TABLE "gigs" ADD COLUMN "voided_amount" numeric(78, 0) DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE "gigs" ADD CONSTRAINT "gigs_voided" CHECK (voided_amount >= 0 and voided_amount <> 'NaN');--> statement-breakpoint
UPDATE "gigs" SET voided_amount = sums.amount
FROM (SELECT gig_id, sum(amount) AS amount FROM tips WHERE is_void GROUP BY gig_id) AS sums WHERE sums.gig_id = gigs.id;
