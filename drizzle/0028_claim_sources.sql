-- A column is added, because building the table anew would need the foreign keys of payments to be off.
ALTER TABLE `claims` ADD `source` text DEFAULT 'mention' NOT NULL CONSTRAINT "claims_source" CHECK(source in ('mention', 'url', 'page'));--> statement-breakpoint
-- Who opened a claim stands in the audit trail: a mention is the request `mention:<id>`, and a URL came with the request of its sender.
UPDATE claims SET source = 'url' WHERE id IN (
	SELECT cast(subject_id AS integer) FROM audit_events
	WHERE action = 'claim.open' AND subject = 'claim' AND coalesce(request_id, '') NOT LIKE 'mention:%');
