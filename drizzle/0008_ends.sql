-- Refunds and returns are payments, too. SQLite changes no constraint of a table, so it is built anew, with its triggers.
DROP TRIGGER `tips_of_sent_payment_stay`;--> statement-breakpoint
CREATE TABLE `__new_payments` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`chain_id` integer NOT NULL,
	`gig_id` integer NOT NULL,
	`claim_id` integer,
	`token_id` integer NOT NULL,
	`recipient` text NOT NULL,
	`amount` text NOT NULL,
	`place` integer,
	`state` text NOT NULL,
	`reason` text,
	`numbers` text,
	`transaction_id` integer,
	`hash` text,
	`block_number` integer,
	`gas_used` integer DEFAULT 0 NOT NULL,
	`gas_reserved` integer DEFAULT 0 NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`failed_at` integer,
	`due_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`claim_id`) REFERENCES `claims`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`token_id`) REFERENCES `tokens`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`transaction_id`) REFERENCES `tank_transactions`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "payments_kind" CHECK(kind in ('payout', 'fee', 'mark', 'refund', 'return')),
	CONSTRAINT "payments_state" CHECK(state = 'planned' or state = 'sent' or state = 'confirmed' or state = 'failed'),
	CONSTRAINT "payments_claim" CHECK(iif(claim_id is null, kind <> 'payout' or state = 'confirmed' or state = 'failed', kind = 'payout')),
	CONSTRAINT "payments_place" CHECK(iif(kind = 'return', typeof(place) = 'integer' and place between 0 and 127, place is null)),
	CONSTRAINT "payments_recipient" CHECK(length(recipient) = 42 and recipient glob '0x*' and substr(recipient, 3) not glob '*[^0-9a-f]*'),
	CONSTRAINT "payments_amount" CHECK(amount <> '' and amount not glob '*[^0-9]*' and (kind <> 'mark' or amount = '0')),
	CONSTRAINT "payments_reason" CHECK(reason is not null or state <> 'failed'),
	CONSTRAINT "payments_numbers" CHECK(iif(numbers is null, state <> 'sent', numbers glob '[0-9]*' and numbers not glob '*[^0-9,]*' and (state = 'sent' or state = 'confirmed'))),
	CONSTRAINT "payments_transaction" CHECK(transaction_id is not null or state <> 'sent'),
	CONSTRAINT "payments_landing" CHECK((hash is not null) = (state = 'confirmed') and (hash is null) = (block_number is null)),
	CONSTRAINT "payments_hash" CHECK(length(hash) = 66 and hash glob '0x*' and substr(hash, 3) not glob '*[^0-9a-f]*'),
	CONSTRAINT "payments_block" CHECK(block_number is null or typeof(block_number) = 'integer' and block_number between 0 and 9007199254740991),
	CONSTRAINT "payments_gas" CHECK(typeof(gas_used) = 'integer' and gas_used between 0 and 9007199254740991),
	CONSTRAINT "payments_gas_reserved" CHECK(typeof(gas_reserved) = 'integer' and gas_reserved between 0 and gas_used and (gas_reserved = 0 or state = 'sent')),
	CONSTRAINT "payments_failures" CHECK(failures >= 0 and (failures = 0) = (failed_at is null))
);
--> statement-breakpoint
INSERT INTO `__new_payments`("id", "kind", "chain_id", "gig_id", "claim_id", "token_id", "recipient", "amount", "state", "reason", "numbers", "transaction_id", "hash", "block_number", "gas_used", "gas_reserved", "failures", "failed_at", "due_at", "created_at", "updated_at") SELECT "id", "kind", "chain_id", "gig_id", "claim_id", "token_id", "recipient", "amount", "state", "reason", "numbers", "transaction_id", "hash", "block_number", "gas_used", "gas_reserved", "failures", "failed_at", "due_at", "created_at", "updated_at" FROM `payments`;--> statement-breakpoint
DROP TABLE `payments`;--> statement-breakpoint
ALTER TABLE `__new_payments` RENAME TO `payments`;--> statement-breakpoint
CREATE INDEX `payments_planned` ON `payments` (`chain_id`,`due_at`) WHERE payments.state = 'planned';--> statement-breakpoint
CREATE INDEX `payments_sent` ON `payments` (`transaction_id`) WHERE payments.state = 'sent';--> statement-breakpoint
CREATE INDEX `payments_confirmed` ON `payments` (`chain_id`,`block_number`) WHERE payments.state = 'confirmed';--> statement-breakpoint
CREATE UNIQUE INDEX `payments_one_fee` ON `payments` (`gig_id`) WHERE payments.kind = 'fee' and payments.state <> 'failed';--> statement-breakpoint
CREATE UNIQUE INDEX `payments_one_refund` ON `payments` (`gig_id`) WHERE payments.kind = 'refund' and payments.state <> 'failed';--> statement-breakpoint
CREATE UNIQUE INDEX `payments_one_return` ON `payments` (`gig_id`,`place`) WHERE payments.kind = 'return' and payments.state <> 'failed';--> statement-breakpoint
CREATE UNIQUE INDEX `payments_open_mark` ON `payments` (`gig_id`) WHERE payments.kind = 'mark' and (payments.state = 'planned' or payments.state = 'sent');--> statement-breakpoint
CREATE INDEX `payments_adopted` ON `payments` (`claim_id`) WHERE payments.claim_id is null and payments.kind = 'payout';--> statement-breakpoint
CREATE INDEX `payments_by_claim` ON `payments` (`claim_id`) WHERE payments.claim_id is not null;--> statement-breakpoint
CREATE INDEX `payments_by_gig` ON `payments` (`gig_id`);--> statement-breakpoint
CREATE INDEX `payments_by_kind` ON `payments` (`kind`,`state`);--> statement-breakpoint
CREATE INDEX `payments_by_gas` ON `payments` (`gig_id`,`updated_at`,`gas_used`) WHERE payments.gas_used > 0;--> statement-breakpoint
CREATE INDEX `payments_failed` ON `payments` (`token_id`,`failed_at`) WHERE payments.failed_at is not null;--> statement-breakpoint
CREATE TRIGGER payments_count_insert AFTER INSERT ON payments
BEGIN
	INSERT INTO state_counts (subject, state, n) VALUES ('payments', NEW.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
--> statement-breakpoint
CREATE TRIGGER payments_count_update AFTER UPDATE OF state ON payments WHEN OLD.state <> NEW.state
BEGIN
	UPDATE state_counts SET n = n - 1 WHERE subject = 'payments' AND state = OLD.state;
	INSERT INTO state_counts (subject, state, n) VALUES ('payments', NEW.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
--> statement-breakpoint
CREATE TRIGGER payments_count_delete AFTER DELETE ON payments
BEGIN
	UPDATE state_counts SET n = n - 1 WHERE subject = 'payments' AND state = OLD.state;
END;
--> statement-breakpoint
CREATE TRIGGER payments_gas_insert AFTER INSERT ON payments WHEN NEW.gas_used > 0
BEGIN
	UPDATE gigs SET gas_used = gas_used + NEW.gas_used WHERE id = NEW.gig_id;
END;
--> statement-breakpoint
CREATE TRIGGER payments_gas_update AFTER UPDATE OF gas_used ON payments WHEN NEW.gas_used <> OLD.gas_used
BEGIN
	UPDATE gigs SET gas_used = gas_used + NEW.gas_used - OLD.gas_used WHERE id = NEW.gig_id;
END;
--> statement-breakpoint
CREATE TRIGGER payments_made_no_delete
BEFORE DELETE ON payments WHEN OLD.state IN ('sent', 'confirmed')
BEGIN
	SELECT RAISE(ABORT, 'a payment that is made cannot be deleted');
END;
--> statement-breakpoint
CREATE TRIGGER tips_of_sent_payment_stay
BEFORE UPDATE OF number, payment_id ON tips
WHEN (NEW.number <> OLD.number OR NEW.payment_id IS NOT OLD.payment_id)
	AND EXISTS (SELECT 1 FROM payments WHERE id = OLD.payment_id AND state = 'sent')
BEGIN
	SELECT RAISE(ABORT, 'a tip of a payment that is sent stays as it is');
END;
--> statement-breakpoint
-- Columns are added, because a table that is built anew would lose its triggers and the last id of a gig.
ALTER TABLE `gigs` ADD `refund_address` text CONSTRAINT "gigs_refund_address" CHECK(length(refund_address) = 42 and refund_address glob '0x*' and substr(refund_address, 3) not glob '*[^0-9a-f]*');--> statement-breakpoint
ALTER TABLE `gigs` ADD `award_days` integer DEFAULT 0 NOT NULL CONSTRAINT "gigs_award_days" CHECK(typeof(award_days) = 'integer' and award_days between 0 and 90);--> statement-breakpoint
ALTER TABLE `gigs` ADD `stopped_at` integer CONSTRAINT "gigs_stopped" CHECK(stopped_at is null or status = 'live');--> statement-breakpoint
ALTER TABLE `gigs` ADD `settled_at` integer CONSTRAINT "gigs_settled" CHECK(settled_at is null or status = 'live' and reserved_amount = '0');--> statement-breakpoint
ALTER TABLE `gigs` ADD `cancelled_at` integer CONSTRAINT "gigs_cancelled" CHECK(cancelled_at is null or status = 'created' and start_lock_holder is null);--> statement-breakpoint
ALTER TABLE `gigs` ADD `refund_to` text CONSTRAINT "gigs_refund_to" CHECK(length(refund_to) = 42 and refund_to glob '0x*' and substr(refund_to, 3) not glob '*[^0-9a-f]*');--> statement-breakpoint
ALTER TABLE `gigs` ADD `refunded_at` integer CONSTRAINT "gigs_refunded" CHECK(refunded_at is null or status = 'live');--> statement-breakpoint
DROP INDEX `gigs_live_windows`;--> statement-breakpoint
CREATE INDEX `gigs_live_windows` ON `gigs` (`platform`,`end_time`,`start_time`,`stopped_at`) WHERE gigs.status = 'live';--> statement-breakpoint
CREATE INDEX `gigs_unsettled` ON `gigs` (`id`) WHERE gigs.status = 'live' and gigs.settled_at is null;--> statement-breakpoint
CREATE INDEX `gigs_cancelled` ON `gigs` (`cancelled_at`) WHERE gigs.cancelled_at is not null;--> statement-breakpoint
CREATE INDEX `gigs_to_refund` ON `gigs` (`id`) WHERE gigs.settled_at is not null and gigs.refunded_at is null and (gigs.refund_address is not null or gigs.refund_to is not null);--> statement-breakpoint
ALTER TABLE `watches` ADD `stopped_at` integer;--> statement-breakpoint
-- Gigs that are earned by request, and bounties, can be awarded for two weeks after their end; those that are watched need
-- no such time.
UPDATE gigs SET award_days = 14 WHERE gig_type = 'custom_bounty' OR NOT EXISTS (
	SELECT 1 FROM earning_rules WHERE gig_id = gigs.id AND json_extract(rules, '$.rule.type') <> 'manual'
);
--> statement-breakpoint
DROP TRIGGER gigs_live_no_update;--> statement-breakpoint
CREATE TRIGGER gigs_live_no_update
BEFORE UPDATE OF
	id, created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration, gig_type,
	platform, wallet_address, how_to_earn, earning_criteria, external_url, verifier, refund_address, award_days
ON gigs WHEN OLD.status = 'live'
BEGIN
	SELECT RAISE(ABORT, 'a live gig cannot be changed');
END;
--> statement-breakpoint
CREATE TRIGGER gigs_cancelled_no_update
BEFORE UPDATE OF
	id, created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration, gig_type,
	platform, wallet_address, how_to_earn, earning_criteria, external_url, verifier, refund_address, award_days,
	start_lock_holder, cancelled_at
ON gigs WHEN OLD.cancelled_at IS NOT NULL
BEGIN
	SELECT RAISE(ABORT, 'a cancelled gig cannot be changed');
END;
--> statement-breakpoint
CREATE TRIGGER gigs_cancelled_no_delete
BEFORE DELETE ON gigs WHEN OLD.cancelled_at IS NOT NULL
BEGIN
	SELECT RAISE(ABORT, 'a cancelled gig cannot be deleted');
END;
--> statement-breakpoint
-- REPLACE deletes the row in its way without firing delete triggers.
CREATE TRIGGER gigs_cancelled_no_replace
BEFORE INSERT ON gigs
WHEN EXISTS (
	SELECT 1 FROM gigs WHERE cancelled_at IS NOT NULL AND (id = NEW.id OR wallet_address = NEW.wallet_address)
)
BEGIN
	SELECT RAISE(ABORT, 'a cancelled gig cannot be replaced');
END;
--> statement-breakpoint
CREATE TRIGGER gigs_stop_stays
BEFORE UPDATE OF stopped_at ON gigs WHEN OLD.stopped_at IS NOT NULL OR OLD.settled_at IS NOT NULL
BEGIN
	SELECT RAISE(ABORT, 'a stop stays as it is, and a settled gig is not stopped');
END;
--> statement-breakpoint
CREATE TRIGGER gigs_settlement_stays
BEFORE UPDATE OF settled_at ON gigs WHEN OLD.settled_at IS NOT NULL
BEGIN
	SELECT RAISE(ABORT, 'a settled gig stays settled');
END;
--> statement-breakpoint
-- A settled gig awards nothing: no account is open, and no tip is added.
CREATE TRIGGER gigs_settle_decided
BEFORE UPDATE OF settled_at ON gigs
WHEN NEW.settled_at IS NOT NULL AND EXISTS (
	SELECT 1 FROM earning_counts WHERE gig_id = NEW.id AND state IN ('held', 'eligible') AND n > 0
)
BEGIN
	SELECT RAISE(ABORT, 'a gig with undecided accounts cannot be settled');
END;
--> statement-breakpoint
CREATE TRIGGER earnings_open_before_settlement
BEFORE INSERT ON earnings
WHEN NEW.state IN ('held', 'eligible') AND EXISTS (SELECT 1 FROM gigs WHERE id = NEW.gig_id AND settled_at IS NOT NULL)
BEGIN
	SELECT RAISE(ABORT, 'nobody earns from a settled gig');
END;
--> statement-breakpoint
CREATE TRIGGER earnings_reopen_before_settlement
BEFORE UPDATE OF state ON earnings
WHEN NEW.state IN ('held', 'eligible') AND EXISTS (SELECT 1 FROM gigs WHERE id = NEW.gig_id AND settled_at IS NOT NULL)
BEGIN
	SELECT RAISE(ABORT, 'nobody earns from a settled gig');
END;
--> statement-breakpoint
CREATE TRIGGER tips_before_settlement
BEFORE INSERT ON tips WHEN EXISTS (SELECT 1 FROM gigs WHERE id = NEW.gig_id AND settled_at IS NOT NULL)
BEGIN
	SELECT RAISE(ABORT, 'a settled gig awards nothing');
END;
--> statement-breakpoint
CREATE TRIGGER gigs_refund_stays
BEFORE UPDATE OF refunded_at ON gigs WHEN OLD.refunded_at IS NOT NULL
BEGIN
	SELECT RAISE(ABORT, 'a refund is planned once');
END;
--> statement-breakpoint
-- The refund is planned by the ledger once its books are closed.
CREATE TRIGGER payments_refund_of_settled
BEFORE INSERT ON payments
WHEN NEW.kind = 'refund' AND NEW.state = 'planned'
	AND NOT EXISTS (SELECT 1 FROM gigs WHERE id = NEW.gig_id AND settled_at IS NOT NULL AND refunded_at IS NOT NULL)
BEGIN
	SELECT RAISE(ABORT, 'a refund is planned for a settled gig');
END;
--> statement-breakpoint
-- The address of the terms goes first; after the refund was planned, no other one is named.
CREATE TRIGGER gigs_refund_to_where_none_is
BEFORE UPDATE OF refund_to ON gigs
WHEN NEW.refund_to IS NOT OLD.refund_to AND (OLD.refund_address IS NOT NULL OR OLD.refunded_at IS NOT NULL)
BEGIN
	SELECT RAISE(ABORT, 'where a refund goes is decided already');
END;
