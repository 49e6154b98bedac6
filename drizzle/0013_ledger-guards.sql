CREATE TABLE `gas_tank_nonces` (
	`chain_id` integer PRIMARY KEY NOT NULL,
	`spent` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "gas_tank_nonces_spent" CHECK(spent >= 0)
);
--> statement-breakpoint
CREATE TABLE `gas_tanks` (
	`id` integer PRIMARY KEY NOT NULL,
	`address` text NOT NULL,
	`created_at` integer NOT NULL,
	CONSTRAINT "gas_tanks_single" CHECK(id = 1),
	CONSTRAINT "gas_tanks_address" CHECK(length(address) = 42 and address glob '0x*' and substr(address, 3) not glob '*[^0-9a-f]*')
);
--> statement-breakpoint
ALTER TABLE `accounts` ADD `label_source` text CONSTRAINT "accounts_label_source" CHECK(label_source in ('platform', 'client'));
--> statement-breakpoint
-- Nobody kept who said the labels that are there, so they count as a client's: a platform's own word moves them.
UPDATE `accounts` SET `label_source` = 'client' WHERE `username` IS NOT NULL;
--> statement-breakpoint
ALTER TABLE `gig_transactions` ADD `spent_nonces` integer CONSTRAINT "gig_transactions_nonces" CHECK(spent_nonces >= 0);
--> statement-breakpoint
ALTER TABLE `gig_transactions` ADD `check_block` text CONSTRAINT "gig_transactions_check_block" CHECK(check_block <> '' and check_block not glob '*[^0-9]*');
--> statement-breakpoint
CREATE INDEX `gig_transactions_to_check` ON `gig_transactions` (`chain_id`) WHERE gig_transactions.check_block is not null;
