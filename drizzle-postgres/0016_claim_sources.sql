ALTER TABLE "claims" ADD COLUMN "source" text collate "C" DEFAULT 'mention' NOT NULL;--> statement-breakpoint
-- Who opened a claim stands in the audit trail: a mention is the request `mention:<id>`, and a URL came with the request of its sender.
UPDATE claims SET source = 'url' WHERE id IN (
	SELECT cast(subject_id AS bigint) FROM audit_events
	WHERE action = 'claim.open' AND subject = 'claim' AND coalesce(request_id, '') NOT LIKE 'mention:%');--> statement-breakpoint
ALTER TABLE "claims" ADD CONSTRAINT "claims_source" CHECK (source in ('mention', 'url', 'page'));
