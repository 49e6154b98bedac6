CREATE TABLE `audit_events` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`actor` text NOT NULL,
	`actor_name` text NOT NULL,
	`api_key_id` integer,
	`client` text,
	`request_id` text,
	`action` text NOT NULL,
	`subject` text NOT NULL,
	`subject_id` text NOT NULL,
	`gig_id` integer,
	`detail` text NOT NULL,
	FOREIGN KEY (`api_key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "audit_events_actor" CHECK(actor in ('api_key', 'account', 'operator', 'job')),
	CONSTRAINT "audit_events_detail" CHECK(json_valid(detail))
);
--> statement-breakpoint
CREATE INDEX `audit_events_by_gig` ON `audit_events` (`gig_id`) WHERE audit_events.gig_id is not null;--> statement-breakpoint
CREATE INDEX `audit_events_by_key` ON `audit_events` (`api_key_id`) WHERE audit_events.api_key_id is not null;--> statement-breakpoint
CREATE TABLE `login_links` (
	`id` integer PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	CONSTRAINT "login_links_hash" CHECK(length(hash) = 64 and hash not glob '*[^0-9a-f]*')
);
--> statement-breakpoint
CREATE UNIQUE INDEX `login_links_by_hash` ON `login_links` (`hash`);--> statement-breakpoint
DROP INDEX `gigs_frozen`;--> statement-breakpoint
ALTER TABLE `gigs` ADD `client` text;--> statement-breakpoint
ALTER TABLE `gigs` ADD `created_by` integer REFERENCES api_keys(id);--> statement-breakpoint
ALTER TABLE `gigs` ADD `operator_freeze` text;--> statement-breakpoint
CREATE INDEX `gigs_frozen` ON `gigs` (`id`) WHERE gigs.frozen_reason is not null or gigs.operator_freeze is not null;--> statement-breakpoint
-- Added, not rebuilt: the tips are the largest table.
ALTER TABLE `tips` ADD `awarded_by` integer REFERENCES api_keys(id);--> statement-breakpoint
ALTER TABLE `tips` ADD `is_void` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `tips` ADD `voided_at` integer;--> statement-breakpoint
ALTER TABLE `tips` ADD `void_reason` text CONSTRAINT "tips_void" CHECK(iif(is_void = 0, voided_at is null and void_reason is null, is_void = 1 and voided_at is not null and void_reason is not null and status = 'pending' and claim_nonce is null and transfer_id is null));--> statement-breakpoint
DROP INDEX `tips_pending_farcaster`;--> statement-breakpoint
DROP INDEX `tips_pending_twitter`;--> statement-breakpoint
CREATE INDEX `tips_pending_farcaster` ON `tips` (`platform_user_id`,`created_at`,`gig_id`,`token_id`,`amount`,`user_address`,`tx_hash`,`claim_nonce`,`claim_started_at`,`lock_timeout`) WHERE tips.status = 'pending' and (tips.platform = 'farcaster' and tips.is_void = 0);--> statement-breakpoint
CREATE INDEX `tips_pending_twitter` ON `tips` (`platform_user_id`,`created_at`,`gig_id`,`token_id`,`amount`,`user_address`,`tx_hash`,`claim_nonce`,`claim_started_at`,`lock_timeout`) WHERE tips.status = 'pending' and (tips.platform = 'twitter' and tips.is_void = 0);--> statement-breakpoint
CREATE TABLE `__new_sessions` (
	`hash` text PRIMARY KEY NOT NULL,
	`api_key_id` integer,
	`login_link_id` integer,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`api_key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`login_link_id`) REFERENCES `login_links`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "sessions_hash" CHECK(length(hash) = 64 and hash not glob '*[^0-9a-f]*'),
	CONSTRAINT "sessions_by" CHECK((api_key_id is null) <> (login_link_id is null))
);
--> statement-breakpoint
INSERT INTO `__new_sessions`("hash", "api_key_id", "login_link_id", "created_at", "expires_at") SELECT "hash", "api_key_id", NULL, "created_at", "expires_at" FROM `sessions`;--> statement-breakpoint
DROP TABLE `sessions`;--> statement-breakpoint
ALTER TABLE `__new_sessions` RENAME TO `sessions`;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `scopes` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `client` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `gig_owners` ADD `added_by` integer REFERENCES api_keys(id);--> statement-breakpoint
-- A key acts for a client of its own name, unless another key has that name, or would get it here: keys stay apart.
UPDATE `api_keys` SET `client` = `name` || ' (key ' || `id` || ')' WHERE EXISTS (
	SELECT 1 FROM `api_keys` AS other WHERE other.`id` <> `api_keys`.`id`
	AND `api_keys`.`name` IN (other.`name`, other.`name` || ' (key ' || other.`id` || ')')
);--> statement-breakpoint
UPDATE `api_keys` SET `client` = `name` WHERE `client` = '';--> statement-breakpoint
-- Idempotency keys belong to the client now, not to the key that was used.
UPDATE `idempotency_keys` SET `scope` = coalesce(
	(
		SELECT 'client:' || `client` || substr(`scope`, instr(`scope`, ' ')) FROM `api_keys`
		WHERE `api_keys`.`id` = CAST(substr(`scope`, 1, instr(`scope`, ' ') - 1) AS INTEGER)
	),
	`scope`
);--> statement-breakpoint
-- A gig keeps its client and the key that created it; one without a client may be given one, once.
CREATE TRIGGER gigs_client_stays
BEFORE UPDATE OF client ON gigs WHEN OLD.client IS NOT NULL
BEGIN
	SELECT RAISE(ABORT, 'a gig keeps its client');
END;
--> statement-breakpoint
CREATE TRIGGER gigs_creator_stays
BEFORE UPDATE OF created_by ON gigs
BEGIN
	SELECT RAISE(ABORT, 'a gig keeps its creator');
END;
--> statement-breakpoint
CREATE TRIGGER audit_events_no_update
BEFORE UPDATE ON audit_events
BEGIN
	SELECT RAISE(ABORT, 'an audit event cannot be changed');
END;
--> statement-breakpoint
CREATE TRIGGER audit_events_no_delete
BEFORE DELETE ON audit_events
BEGIN
	SELECT RAISE(ABORT, 'an audit event cannot be deleted');
END;
--> statement-breakpoint
-- REPLACE deletes the row in its way without firing delete triggers.
CREATE TRIGGER audit_events_no_replace
BEFORE INSERT ON audit_events WHEN EXISTS (SELECT 1 FROM audit_events WHERE id = NEW.id)
BEGIN
	SELECT RAISE(ABORT, 'an audit event cannot be replaced');
END;
