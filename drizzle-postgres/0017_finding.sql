CREATE INDEX "audit_events_by_request" ON "audit_events" USING btree ("request_id","id") WHERE audit_events.request_id is not null;--> statement-breakpoint
CREATE INDEX "claims_by_recipient" ON "claims" USING btree ("recipient");--> statement-breakpoint
CREATE UNIQUE INDEX "events_by_uid" ON "events" USING btree ("uid") WHERE events.seq is not null;--> statement-breakpoint
CREATE INDEX "gigs_by_url" ON "gigs" USING btree ("external_url") WHERE gigs.external_url is not null;--> statement-breakpoint
CREATE INDEX "mentions_by_author" ON "mentions" USING btree ("platform","author_id","id");--> statement-breakpoint
CREATE INDEX "observations_by_post" ON "observations" USING btree ("object_id") WHERE observations.object_id <> '';--> statement-breakpoint
CREATE INDEX "payments_by_hash" ON "payments" USING btree ("hash") WHERE payments.hash is not null;--> statement-breakpoint
CREATE INDEX "payments_by_recipient" ON "payments" USING btree ("recipient") WHERE payments.claim_id is null;--> statement-breakpoint
DROP INDEX "tips_by_gig";--> statement-breakpoint
CREATE INDEX "tips_by_account" ON "tips" USING btree ("platform","platform_user_id","gig_id");