CREATE TABLE `chain_anchors` (
	`chain_id` integer PRIMARY KEY NOT NULL,
	`number` integer NOT NULL,
	`hash` text NOT NULL,
	`at` integer NOT NULL,
	CONSTRAINT "chain_anchors_number" CHECK(typeof(number) = 'integer' and number between 0 and 9007199254740991),
	CONSTRAINT "chain_anchors_hash" CHECK(length(hash) = 66 and hash glob '0x*' and substr(hash, 3) not glob '*[^0-9a-f]*')
);
--> statement-breakpoint
CREATE TABLE `payments` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`chain_id` integer NOT NULL,
	`gig_id` integer NOT NULL,
	`claim_id` integer,
	`token_id` integer NOT NULL,
	`recipient` text NOT NULL,
	`amount` text NOT NULL,
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
	CONSTRAINT "payments_kind" CHECK(kind in ('payout', 'fee', 'mark')),
	CONSTRAINT "payments_state" CHECK(state = 'planned' or state = 'sent' or state = 'confirmed' or state = 'failed'),
	CONSTRAINT "payments_claim" CHECK(iif(claim_id is null, kind <> 'payout' or state = 'confirmed' or state = 'failed', kind = 'payout')),
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
CREATE INDEX `payments_planned` ON `payments` (`chain_id`,`due_at`) WHERE payments.state = 'planned';--> statement-breakpoint
CREATE INDEX `payments_sent` ON `payments` (`transaction_id`) WHERE payments.state = 'sent';--> statement-breakpoint
CREATE INDEX `payments_confirmed` ON `payments` (`chain_id`,`block_number`) WHERE payments.state = 'confirmed';--> statement-breakpoint
CREATE UNIQUE INDEX `payments_one_fee` ON `payments` (`gig_id`) WHERE payments.kind = 'fee' and payments.state <> 'failed';--> statement-breakpoint
CREATE UNIQUE INDEX `payments_open_mark` ON `payments` (`gig_id`) WHERE payments.kind = 'mark' and (payments.state = 'planned' or payments.state = 'sent');--> statement-breakpoint
CREATE INDEX `payments_adopted` ON `payments` (`claim_id`) WHERE payments.claim_id is null and payments.kind not in ('fee', 'mark');--> statement-breakpoint
CREATE INDEX `payments_by_claim` ON `payments` (`claim_id`) WHERE payments.claim_id is not null;--> statement-breakpoint
CREATE INDEX `payments_by_gig` ON `payments` (`gig_id`);--> statement-breakpoint
CREATE INDEX `payments_by_kind` ON `payments` (`kind`,`state`);--> statement-breakpoint
CREATE INDEX `payments_by_gas` ON `payments` (`gig_id`,`updated_at`,`gas_used`) WHERE payments.gas_used > 0;--> statement-breakpoint
CREATE INDEX `payments_failed` ON `payments` (`token_id`,`failed_at`) WHERE payments.failed_at is not null;--> statement-breakpoint
CREATE TABLE `tank_attempts` (
	`hash` text PRIMARY KEY NOT NULL,
	`transaction_id` integer NOT NULL,
	`raw` text NOT NULL,
	`max_fee_per_gas` text NOT NULL,
	`max_priority_fee_per_gas` text NOT NULL,
	`gas` text NOT NULL,
	`signed_at` integer NOT NULL,
	FOREIGN KEY (`transaction_id`) REFERENCES `tank_transactions`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "tank_attempts_hash" CHECK(length(hash) = 66 and hash glob '0x*' and substr(hash, 3) not glob '*[^0-9a-f]*'),
	CONSTRAINT "tank_attempts_raw" CHECK(length(raw) > 2 and length(raw) % 2 = 0 and raw glob '0x*' and substr(raw, 3) not glob '*[^0-9a-f]*'),
	CONSTRAINT "tank_attempts_max_fee" CHECK(max_fee_per_gas <> '' and max_fee_per_gas not glob '*[^0-9]*'),
	CONSTRAINT "tank_attempts_priority_fee" CHECK(max_priority_fee_per_gas <> '' and max_priority_fee_per_gas not glob '*[^0-9]*'),
	CONSTRAINT "tank_attempts_gas" CHECK(gas <> '' and gas not glob '*[^0-9]*')
);
--> statement-breakpoint
CREATE INDEX `tank_attempts_by_transaction` ON `tank_attempts` (`transaction_id`);--> statement-breakpoint
CREATE TABLE `tank_transactions` (
	`id` integer PRIMARY KEY NOT NULL,
	`chain_id` integer NOT NULL,
	`nonce` integer NOT NULL,
	`is_over` integer DEFAULT false NOT NULL,
	`broadcast_at` integer,
	`created_at` integer NOT NULL,
	CONSTRAINT "tank_transactions_nonce" CHECK(typeof(nonce) = 'integer' and nonce >= 0),
	CONSTRAINT "tank_transactions_is_over" CHECK(is_over in (0, 1))
);
--> statement-breakpoint
CREATE INDEX `tank_transactions_open` ON `tank_transactions` (`chain_id`,`nonce`) WHERE tank_transactions.is_over = 0;--> statement-breakpoint
-- Columns are added, because a table that is built anew would lose its triggers and the last id of a gig.
ALTER TABLE `gigs` ADD `gas_used` integer DEFAULT 0 NOT NULL CONSTRAINT "gigs_gas_used" CHECK(typeof(gas_used) = 'integer' and gas_used between 0 and 9007199254740991);--> statement-breakpoint
ALTER TABLE `tips` ADD `payment_id` integer CONSTRAINT "tips_payment" CHECK(payment_id is null or is_void = 0 and (status = 'pending' or claim_nonce is null and tx_hash is not null and claimed_at is not null)) REFERENCES payments(id);--> statement-breakpoint
ALTER TABLE `tokens` ADD `allowed` integer DEFAULT false NOT NULL CONSTRAINT "tokens_allowed" CHECK(allowed in (0, 1));--> statement-breakpoint
CREATE INDEX `gigs_by_client` ON `gigs` (`client`) WHERE gigs.client is not null;--> statement-breakpoint
CREATE INDEX `tips_by_payment` ON `tips` (`payment_id`) WHERE tips.payment_id is not null;--> statement-breakpoint
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
-- A gig's budget of gas counts what all its payments have used.
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
-- What the chain has paid, or may pay, stays in the ledger.
CREATE TRIGGER payments_made_no_delete
BEFORE DELETE ON payments WHEN OLD.state IN ('sent', 'confirmed')
BEGIN
	SELECT RAISE(ABORT, 'a payment that is made cannot be deleted');
END;
--> statement-breakpoint
-- The bytes may be in a node's hands: only they tell which transaction spent the nonce.
CREATE TRIGGER tank_attempts_no_update
BEFORE UPDATE ON tank_attempts
BEGIN
	SELECT RAISE(ABORT, 'signed bytes cannot be changed');
END;
--> statement-breakpoint
-- The signed bytes name the numbers of its tips.
CREATE TRIGGER tips_of_sent_payment_stay
BEFORE UPDATE OF number, payment_id ON tips
WHEN (NEW.number <> OLD.number OR NEW.payment_id IS NOT OLD.payment_id)
	AND EXISTS (SELECT 1 FROM payments WHERE id = OLD.payment_id AND state = 'sent')
BEGIN
	SELECT RAISE(ABORT, 'a tip of a payment that is sent stays as it is');
END;
--> statement-breakpoint
-- A tip that is neither paid nor void takes another number only above those that gigs count (2^52), once for each number.
DROP TRIGGER tips_number_stays;--> statement-breakpoint
CREATE TRIGGER tips_number_stays
BEFORE UPDATE OF gig_id, number ON tips
WHEN (NEW.gig_id <> OLD.gig_id OR NEW.number <> OLD.number) AND NOT (
	NEW.gig_id = OLD.gig_id AND NEW.number >= 4503599627370496 AND OLD.status = 'pending' AND OLD.is_void = 0
	AND OLD.tx_hash IS NULL
)
BEGIN
	SELECT RAISE(ABORT, 'a tip keeps its number');
END;
