CREATE TABLE `claims` (
	`id` integer PRIMARY KEY NOT NULL,
	`public_id` text NOT NULL,
	`platform` text NOT NULL,
	`platform_user_id` text NOT NULL,
	`post_id` text NOT NULL,
	`recipient` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`platform`,`platform_user_id`) REFERENCES `accounts`(`platform`,`platform_user_id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "claims_platform" CHECK(platform in ('farcaster', 'twitter')),
	CONSTRAINT "claims_recipient" CHECK(length(recipient) = 42 and recipient glob '0x*' and substr(recipient, 3) not glob '*[^0-9a-f]*')
);
--> statement-breakpoint
CREATE UNIQUE INDEX `claims_by_public_id` ON `claims` (`public_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `claims_by_post` ON `claims` (`platform`,`post_id`);--> statement-breakpoint
CREATE INDEX `claims_by_account` ON `claims` (`platform`,`platform_user_id`);--> statement-breakpoint
CREATE TABLE `transfer_forms` (
	`hash` text PRIMARY KEY NOT NULL,
	`transfer_id` integer NOT NULL,
	`raw` text NOT NULL,
	`max_fee_per_gas` text NOT NULL,
	`max_priority_fee_per_gas` text NOT NULL,
	`gas` text NOT NULL,
	`signed_at` integer NOT NULL,
	FOREIGN KEY (`transfer_id`) REFERENCES `transfers`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "transfer_forms_hash" CHECK(length(hash) = 66 and hash glob '0x*' and substr(hash, 3) not glob '*[^0-9a-f]*'),
	CONSTRAINT "transfer_forms_raw" CHECK(length(raw) > 2 and length(raw) % 2 = 0 and raw glob '0x*' and substr(raw, 3) not glob '*[^0-9a-f]*'),
	CONSTRAINT "transfer_forms_max_fee" CHECK(max_fee_per_gas <> '' and max_fee_per_gas not glob '*[^0-9]*'),
	CONSTRAINT "transfer_forms_priority_fee" CHECK(max_priority_fee_per_gas <> '' and max_priority_fee_per_gas not glob '*[^0-9]*'),
	CONSTRAINT "transfer_forms_gas" CHECK(gas <> '' and gas not glob '*[^0-9]*')
);
--> statement-breakpoint
CREATE INDEX `transfer_forms_by_transfer` ON `transfer_forms` (`transfer_id`);--> statement-breakpoint
CREATE TABLE `transfers` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`chain_id` integer NOT NULL,
	`sender` text NOT NULL,
	`gig_id` integer NOT NULL,
	`claim_id` integer,
	`token_id` integer NOT NULL,
	`recipient` text NOT NULL,
	`amount` text NOT NULL,
	`state` text NOT NULL,
	`nonce` integer,
	`reason` text,
	`hash` text,
	`block_number` text,
	`gas_spent` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`claim_id`) REFERENCES `claims`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`token_id`) REFERENCES `tokens`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "transfers_kind" CHECK(kind in ('payout', 'fee', 'gas')),
	CONSTRAINT "transfers_state" CHECK(state in ('planned', 'signed', 'broadcast', 'confirmed', 'failed', 'replaced')),
	CONSTRAINT "transfers_claim" CHECK((kind = 'payout') = (claim_id is not null)),
	CONSTRAINT "transfers_sender" CHECK(length(sender) = 42 and sender glob '0x*' and substr(sender, 3) not glob '*[^0-9a-f]*'),
	CONSTRAINT "transfers_recipient" CHECK(length(recipient) = 42 and recipient glob '0x*' and substr(recipient, 3) not glob '*[^0-9a-f]*'),
	CONSTRAINT "transfers_amount" CHECK(amount <> '' and amount not glob '*[^0-9]*'),
	CONSTRAINT "transfers_nonce" CHECK(iif(nonce is null, state in ('planned', 'failed'), nonce >= 0 and state <> 'planned')),
	CONSTRAINT "transfers_landing" CHECK((hash is not null) = (state = 'confirmed' or state = 'failed' and nonce is not null)),
	CONSTRAINT "transfers_whole_landing" CHECK((hash is null) = (block_number is null) and (hash is null) = (gas_spent is null)),
	CONSTRAINT "transfers_hash" CHECK(length(hash) = 66 and hash glob '0x*' and substr(hash, 3) not glob '*[^0-9a-f]*'),
	CONSTRAINT "transfers_block" CHECK(block_number <> '' and block_number not glob '*[^0-9]*'),
	CONSTRAINT "transfers_gas" CHECK(gas_spent <> '' and gas_spent not glob '*[^0-9]*'),
	CONSTRAINT "transfers_reason" CHECK(reason is not null or state not in ('failed', 'replaced'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `transfers_open` ON `transfers` (`chain_id`,`sender`) WHERE transfers.state in ('signed', 'broadcast');--> statement-breakpoint
CREATE UNIQUE INDEX `transfers_by_nonce` ON `transfers` (`chain_id`,`sender`,`nonce`) WHERE transfers.nonce is not null;--> statement-breakpoint
CREATE INDEX `transfers_planned` ON `transfers` (`chain_id`,`sender`) WHERE transfers.state = 'planned';--> statement-breakpoint
CREATE INDEX `transfers_by_claim` ON `transfers` (`claim_id`) WHERE transfers.claim_id is not null;--> statement-breakpoint
CREATE INDEX `transfers_by_gig` ON `transfers` (`gig_id`);--> statement-breakpoint
CREATE INDEX `transfers_by_kind` ON `transfers` (`kind`,`state`);--> statement-breakpoint
-- Added, not rebuilt: a rebuilt `gigs` loses its triggers and the last id that it gave out, and `tips` is the largest table.
ALTER TABLE `gigs` ADD `frozen_reason` text;--> statement-breakpoint
ALTER TABLE `tips` ADD `transfer_id` integer REFERENCES `transfers`(`id`) CONSTRAINT "tips_transfer" CHECK(transfer_id is null or status = 'pending' or claim_nonce is null and tx_hash is not null and claimed_at is not null);--> statement-breakpoint
CREATE INDEX `tips_by_transfer` ON `tips` (`transfer_id`) WHERE tips.transfer_id is not null;--> statement-breakpoint
CREATE INDEX `tokens_on_all_chains` ON `tokens` (`address`);