-- Payouts and fees that were made before wallets paid by the contract go on as payments, under the same ids. None of them
-- is signed or broadcast: such a database is refused before. What was replaced was planned again as another row.
INSERT INTO `payments` (`id`, `kind`, `chain_id`, `gig_id`, `claim_id`, `token_id`, `recipient`, `amount`, `state`, `reason`, `hash`, `block_number`, `due_at`, `created_at`, `updated_at`)
SELECT id, kind, chain_id, gig_id, claim_id, token_id, recipient, amount, iif(state = 'replaced', 'failed', state),
	iif(state = 'planned', NULL, reason), iif(state = 'confirmed', hash, NULL),
	iif(state = 'confirmed', CAST(block_number AS INTEGER), NULL), created_at, created_at, updated_at
FROM transfers WHERE kind <> 'gas' ORDER BY id;--> statement-breakpoint
-- What was paid is marked in each wallet first: then it is as if the contract had paid it.
INSERT INTO `payments` (`kind`, `chain_id`, `gig_id`, `token_id`, `recipient`, `amount`, `state`, `due_at`, `created_at`, `updated_at`)
SELECT 'mark', paid.chain_id, gigs.id, gigs.token_id, gigs.wallet_address, '0', 'planned', paid.at, paid.at, paid.at
FROM (SELECT gig_id, chain_id, max(updated_at) AS at FROM payments WHERE state = 'confirmed' GROUP BY gig_id, chain_id) AS paid
JOIN gigs ON gigs.id = paid.gig_id ORDER BY gigs.id;--> statement-breakpoint
DROP TABLE `acknowledged_activity`;--> statement-breakpoint
DROP TABLE `gas_tank_nonces`;--> statement-breakpoint
DROP TABLE `transfer_attempts`;--> statement-breakpoint
DROP TABLE `transfers`;--> statement-breakpoint
DELETE FROM `state_counts` WHERE subject = 'transfers';--> statement-breakpoint
-- A tip's payment keeps its id, so the column of its transfer becomes that of its payment: a table that is built anew would
-- lose its triggers and the last id. SQLite has every reference follow a table that is renamed.
DROP TRIGGER `tips_of_sent_payment_stay`;--> statement-breakpoint
DROP INDEX `tips_by_payment`;--> statement-breakpoint
DROP INDEX `tips_by_transfer`;--> statement-breakpoint
ALTER TABLE `tips` DROP COLUMN `payment_id`;--> statement-breakpoint
ALTER TABLE `payments` RENAME TO `transfers`;--> statement-breakpoint
ALTER TABLE `transfers` RENAME TO `payments`;--> statement-breakpoint
ALTER TABLE `tips` RENAME COLUMN `transfer_id` TO `payment_id`;--> statement-breakpoint
CREATE INDEX `tips_by_payment` ON `tips` (`payment_id`) WHERE tips.payment_id is not null;--> statement-breakpoint
-- The signed bytes name the numbers of its tips.
CREATE TRIGGER tips_of_sent_payment_stay
BEFORE UPDATE OF number, payment_id ON tips
WHEN (NEW.number <> OLD.number OR NEW.payment_id IS NOT OLD.payment_id)
	AND EXISTS (SELECT 1 FROM payments WHERE id = OLD.payment_id AND state = 'sent')
BEGIN
	SELECT RAISE(ABORT, 'a tip of a payment that is sent stays as it is');
END;
--> statement-breakpoint
-- Without the nonces that the wallet had spent at the start.
CREATE TABLE `__new_gig_transactions` (
	`id` integer PRIMARY KEY NOT NULL,
	`gig_id` integer NOT NULL,
	`token_id` integer NOT NULL,
	`chain_id` integer NOT NULL,
	`amount` text NOT NULL,
	`commission_amount` text NOT NULL,
	`block_number` text NOT NULL,
	`created_at` integer NOT NULL,
	`check_block` text,
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`token_id`) REFERENCES `tokens`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "gig_transactions_amount" CHECK(amount <> '' and amount not glob '*[^0-9]*'),
	CONSTRAINT "gig_transactions_commission" CHECK(commission_amount <> '' and commission_amount not glob '*[^0-9]*'),
	CONSTRAINT "gig_transactions_block" CHECK(block_number <> '' and block_number not glob '*[^0-9]*'),
	CONSTRAINT "gig_transactions_check_block" CHECK(check_block <> '' and check_block not glob '*[^0-9]*')
);
--> statement-breakpoint
INSERT INTO `__new_gig_transactions`("id", "gig_id", "token_id", "chain_id", "amount", "commission_amount", "block_number", "created_at", "check_block") SELECT "id", "gig_id", "token_id", "chain_id", "amount", "commission_amount", "block_number", "created_at", "check_block" FROM `gig_transactions`;--> statement-breakpoint
DROP TABLE `gig_transactions`;--> statement-breakpoint
ALTER TABLE `__new_gig_transactions` RENAME TO `gig_transactions`;--> statement-breakpoint
CREATE UNIQUE INDEX `gig_transactions_by_gig` ON `gig_transactions` (`gig_id`);--> statement-breakpoint
CREATE INDEX `gig_transactions_to_check` ON `gig_transactions` (`chain_id`) WHERE gig_transactions.check_block is not null;
