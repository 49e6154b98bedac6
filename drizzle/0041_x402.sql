CREATE TABLE `deposits` (
	`id` integer PRIMARY KEY NOT NULL,
	`gig_id` integer NOT NULL,
	`chain_id` integer NOT NULL,
	`payer` text NOT NULL,
	`amount` text NOT NULL,
	`valid_after` integer NOT NULL,
	`valid_before` integer NOT NULL,
	`nonce` text NOT NULL,
	`signature` text NOT NULL,
	`state` text NOT NULL,
	`settler` text NOT NULL,
	`signer` text NOT NULL,
	`transaction_id` integer,
	`asked_at` integer,
	`kept_block` integer NOT NULL,
	`hash` text,
	`block_number` integer,
	`reason` text,
	`due_at` integer NOT NULL,
	`gas_used` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`transaction_id`) REFERENCES `tank_transactions`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "deposits_payer" CHECK(length(payer) = 42 and payer glob '0x*' and substr(payer, 3) not glob '*[^0-9a-f]*'),
	CONSTRAINT "deposits_amount" CHECK(amount <> '' and amount not glob '*[^0-9]*'),
	CONSTRAINT "deposits_nonce" CHECK(length(nonce) = 66 and nonce glob '0x*' and substr(nonce, 3) not glob '*[^0-9a-f]*'),
	CONSTRAINT "deposits_signature" CHECK(length(signature) > 2 and length(signature) % 2 = 0 and signature glob '0x*' and substr(signature, 3) not glob '*[^0-9a-f]*'),
	CONSTRAINT "deposits_state" CHECK(state in ('kept', 'sent', 'used', 'settled', 'unused')),
	CONSTRAINT "deposits_settler" CHECK(settler in ('tank', 'facilitator')),
	CONSTRAINT "deposits_signer" CHECK(signer in ('key', 'contract')),
	CONSTRAINT "deposits_kept_block" CHECK(typeof(kept_block) = 'integer' and kept_block between 0 and 9007199254740991),
	CONSTRAINT "deposits_gas_used" CHECK(typeof(gas_used) = 'integer' and gas_used between 0 and 9007199254740991),
	CONSTRAINT "deposits_used" CHECK((block_number is not null) = (state = 'used' or state = 'settled')),
	CONSTRAINT "deposits_reason" CHECK(reason is not null or state <> 'unused')
);
--> statement-breakpoint
CREATE UNIQUE INDEX `deposits_one` ON `deposits` (`gig_id`) WHERE deposits.state <> 'unused';--> statement-breakpoint
CREATE INDEX `deposits_by_gig` ON `deposits` (`gig_id`,`id`);--> statement-breakpoint
CREATE INDEX `deposits_open` ON `deposits` (`chain_id`,`due_at`) WHERE (deposits.state = 'kept' or deposits.state = 'sent' or deposits.state = 'used');--> statement-breakpoint
CREATE INDEX `deposits_by_transaction` ON `deposits` (`transaction_id`) WHERE deposits.transaction_id is not null;--> statement-breakpoint
CREATE INDEX `deposits_by_time` ON `deposits` (`created_at`);--> statement-breakpoint
CREATE INDEX `deposits_waiting` ON `deposits` (`created_at`) WHERE (deposits.state = 'kept' or deposits.state = 'sent' or deposits.state = 'used');--> statement-breakpoint
CREATE TABLE `x402_gigs` (
	`gig_id` integer PRIMARY KEY NOT NULL,
	`request` text NOT NULL,
	`fingerprint` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "x402_gigs_request" CHECK(length(request) = 64 and request not glob '*[^0-9a-f]*'),
	CONSTRAINT "x402_gigs_fingerprint" CHECK(length(fingerprint) = 64 and fingerprint not glob '*[^0-9a-f]*')
);
--> statement-breakpoint
CREATE INDEX `x402_gigs_by_request` ON `x402_gigs` (`request`,`gig_id`);--> statement-breakpoint
CREATE TABLE `x402_tokens` (
	`token_id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`version` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`token_id`) REFERENCES `tokens`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
-- What is paid for in its creation becomes its payer's, once.
DROP TRIGGER gigs_client_stays;--> statement-breakpoint
CREATE TRIGGER gigs_client_stays
BEFORE UPDATE OF client ON gigs
WHEN OLD.client IS NOT NULL AND (OLD.client <> 'owner:x402' OR NEW.client IS NULL OR NEW.client NOT GLOB 'owner:wallet:*')
BEGIN
	SELECT RAISE(ABORT, 'a gig keeps its client');
END;
--> statement-breakpoint
CREATE TRIGGER deposits_authorization_stays
BEFORE UPDATE OF gig_id, chain_id, payer, amount, valid_after, valid_before, nonce, signature, settler, signer ON deposits
BEGIN
	SELECT RAISE(ABORT, 'a deposit keeps its authorization');
END;
--> statement-breakpoint
CREATE TRIGGER deposits_unused_stays
BEFORE UPDATE OF state ON deposits WHEN OLD.state = 'unused' OR OLD.state = 'settled'
BEGIN
	SELECT RAISE(ABORT, 'a deposit that is over stays as it is');
END;
