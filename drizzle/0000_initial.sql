CREATE TABLE `accounts` (
	`platform` text NOT NULL,
	`platform_user_id` text NOT NULL,
	`username` text,
	`handle` text,
	`created_at` integer NOT NULL,
	`opted_out_at` integer,
	`label_source` text,
	`label_seen_at` integer,
	PRIMARY KEY(`platform`, `platform_user_id`),
	FOREIGN KEY (`platform`) REFERENCES `platforms`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "accounts_user_id" CHECK(platform_user_id not glob '*[^0-9]*' and platform_user_id not glob '0?*' and platform_user_id <> ''),
	CONSTRAINT "accounts_handle" CHECK((username is null) = (handle is null) and handle = lower(handle)),
	CONSTRAINT "accounts_label_source" CHECK(label_source in ('platform', 'client'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_by_handle` ON `accounts` (`platform`,`handle`);--> statement-breakpoint
CREATE TABLE `acknowledged_activity` (
	`id` integer PRIMARY KEY NOT NULL,
	`gig_id` integer NOT NULL,
	`nonce` integer,
	`hash` text,
	`acknowledged_at` integer NOT NULL,
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "acknowledged_activity_one" CHECK((nonce is null) <> (hash is null)),
	CONSTRAINT "acknowledged_activity_nonce" CHECK(nonce >= 0),
	CONSTRAINT "acknowledged_activity_hash" CHECK(length(hash) = 66 and hash glob '0x*' and substr(hash, 3) not glob '*[^0-9a-f]*')
);
--> statement-breakpoint
CREATE UNIQUE INDEX `acknowledged_activity_by_nonce` ON `acknowledged_activity` (`gig_id`,`nonce`);--> statement-breakpoint
CREATE UNIQUE INDEX `acknowledged_activity_by_hash` ON `acknowledged_activity` (`gig_id`,`hash`);--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`revoked_at` integer,
	`last_used_at` integer,
	`scopes` text NOT NULL,
	`client` text NOT NULL,
	CONSTRAINT "api_keys_hash" CHECK(length(hash) = 64 and hash not glob '*[^0-9a-f]*')
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_by_hash` ON `api_keys` (`hash`);--> statement-breakpoint
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
CREATE TABLE `claims` (
	`id` integer PRIMARY KEY NOT NULL,
	`public_id` text NOT NULL,
	`platform` text NOT NULL,
	`platform_user_id` text NOT NULL,
	`post_id` text NOT NULL,
	`recipient` text NOT NULL,
	`created_at` integer NOT NULL,
	`promised_to` integer,
	FOREIGN KEY (`promised_to`) REFERENCES `mentions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`platform`,`platform_user_id`) REFERENCES `accounts`(`platform`,`platform_user_id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "claims_recipient" CHECK(length(recipient) = 42 and recipient glob '0x*' and substr(recipient, 3) not glob '*[^0-9a-f]*')
);
--> statement-breakpoint
CREATE UNIQUE INDEX `claims_by_public_id` ON `claims` (`public_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `claims_by_post` ON `claims` (`platform`,`post_id`);--> statement-breakpoint
CREATE INDEX `claims_by_account` ON `claims` (`platform`,`platform_user_id`);--> statement-breakpoint
CREATE INDEX `claims_promised` ON `claims` (`id`) WHERE claims.promised_to is not null;--> statement-breakpoint
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
CREATE TABLE `gig_owners` (
	`gig_id` integer NOT NULL,
	`platform` text NOT NULL,
	`platform_user_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`added_by` integer,
	PRIMARY KEY(`gig_id`, `platform`, `platform_user_id`),
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`added_by`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`platform`,`platform_user_id`) REFERENCES `accounts`(`platform`,`platform_user_id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `gig_payouts` (
	`gig_id` integer NOT NULL,
	`part` integer NOT NULL,
	`part_ms` integer NOT NULL,
	`payouts` integer NOT NULL,
	`amount` text NOT NULL,
	PRIMARY KEY(`gig_id`, `part`),
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "gig_payouts_part" CHECK(part between 0 and 29 and part_ms > 0 and payouts > 0),
	CONSTRAINT "gig_payouts_amount" CHECK(amount <> '' and amount not glob '*[^0-9]*')
);
--> statement-breakpoint
CREATE TABLE `gig_transactions` (
	`id` integer PRIMARY KEY NOT NULL,
	`gig_id` integer NOT NULL,
	`token_id` integer NOT NULL,
	`chain_id` integer NOT NULL,
	`amount` text NOT NULL,
	`commission_amount` text NOT NULL,
	`block_number` text NOT NULL,
	`created_at` integer NOT NULL,
	`spent_nonces` integer,
	`check_block` text,
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`token_id`) REFERENCES `tokens`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "gig_transactions_amount" CHECK(amount <> '' and amount not glob '*[^0-9]*'),
	CONSTRAINT "gig_transactions_commission" CHECK(commission_amount <> '' and commission_amount not glob '*[^0-9]*'),
	CONSTRAINT "gig_transactions_block" CHECK(block_number <> '' and block_number not glob '*[^0-9]*'),
	CONSTRAINT "gig_transactions_nonces" CHECK(spent_nonces >= 0),
	CONSTRAINT "gig_transactions_check_block" CHECK(check_block <> '' and check_block not glob '*[^0-9]*')
);
--> statement-breakpoint
CREATE UNIQUE INDEX `gig_transactions_by_gig` ON `gig_transactions` (`gig_id`);--> statement-breakpoint
CREATE INDEX `gig_transactions_to_check` ON `gig_transactions` (`chain_id`) WHERE gig_transactions.check_block is not null;--> statement-breakpoint
CREATE TABLE `gigs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`created_at` integer NOT NULL,
	`status` text NOT NULL,
	`production` integer NOT NULL,
	`token_id` integer NOT NULL,
	`reward_amount` text NOT NULL,
	`fee_amount` text NOT NULL,
	`start_time` integer NOT NULL,
	`end_time` integer NOT NULL,
	`duration` integer NOT NULL,
	`gig_type` text NOT NULL,
	`platform` text NOT NULL,
	`wallet_address` text NOT NULL,
	`how_to_earn` text,
	`earning_criteria` text,
	`external_url` text,
	`verifier` text,
	`start_lock_holder` text,
	`start_lock_until` integer,
	`awarded_amount` text DEFAULT '0' NOT NULL,
	`frozen_reason` text,
	`client` text,
	`created_by` integer,
	`operator_freeze` text,
	FOREIGN KEY (`token_id`) REFERENCES `tokens`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`platform`) REFERENCES `platforms`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`created_by`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "gigs_status" CHECK(status in ('created', 'live')),
	CONSTRAINT "gigs_production" CHECK(production = (status = 'live')),
	CONSTRAINT "gigs_reward" CHECK(reward_amount <> '' and reward_amount not glob '*[^0-9]*'),
	CONSTRAINT "gigs_fee" CHECK(fee_amount <> '' and fee_amount not glob '*[^0-9]*'),
	CONSTRAINT "gigs_awarded" CHECK(awarded_amount <> '' and awarded_amount not glob '*[^0-9]*'),
	CONSTRAINT "gigs_window" CHECK(duration >= 0 and end_time = start_time + duration),
	CONSTRAINT "gigs_type" CHECK(gig_type in ('mention', 'like', 'recast', 'boost', 'reply', 'follow', 'custom_bounty')),
	CONSTRAINT "gigs_wallet" CHECK(length(wallet_address) = 42 and wallet_address glob '0x*' and substr(wallet_address, 3) not glob '*[^0-9a-f]*'),
	CONSTRAINT "gigs_start_lock" CHECK((start_lock_holder is null) = (start_lock_until is null))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `gigs_by_wallet` ON `gigs` (`wallet_address`);--> statement-breakpoint
CREATE INDEX `gigs_by_status` ON `gigs` (`platform`,`status`);--> statement-breakpoint
CREATE INDEX `gigs_live_windows` ON `gigs` (`platform`,`end_time`,`start_time`) WHERE gigs.status = 'live';--> statement-breakpoint
CREATE INDEX `gigs_frozen` ON `gigs` (`id`) WHERE gigs.frozen_reason is not null or gigs.operator_freeze is not null;--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`scope` text NOT NULL,
	`key` text NOT NULL,
	`fingerprint` text NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`scope`, `key`)
);
--> statement-breakpoint
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
CREATE TABLE `mentions` (
	`id` integer PRIMARY KEY NOT NULL,
	`version` integer NOT NULL,
	`platform` text NOT NULL,
	`post_id` text NOT NULL,
	`reply_to` text NOT NULL,
	`thread_id` text NOT NULL,
	`author_id` text NOT NULL,
	`author_username` text,
	`text` text NOT NULL,
	`posted_at` integer NOT NULL,
	`received_at` integer NOT NULL,
	`source` text NOT NULL,
	`state` text NOT NULL,
	`attempts` integer NOT NULL,
	`ignore_reason` text,
	`last_error` text,
	`lease` text,
	`due_at` integer NOT NULL,
	`behind` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`platform`,`author_id`) REFERENCES `accounts`(`platform`,`platform_user_id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "mentions_source" CHECK(source in ('webhook', 'poll')),
	CONSTRAINT "mentions_state" CHECK(state = 'received' or state = 'answered' or state = 'ignored' or state = 'failed'),
	CONSTRAINT "mentions_ignore_reason" CHECK(ignore_reason = 'opted_out' or ignore_reason = 'author_limit' or ignore_reason = 'thread_limit' or ignore_reason = 'help_already_given' or ignore_reason = 'gave_up'),
	CONSTRAINT "mentions_lease" CHECK(lease is null or state = 'received'),
	CONSTRAINT "mentions_behind" CHECK(behind in (0, 1))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `mentions_by_post` ON `mentions` (`platform`,`post_id`);--> statement-breakpoint
CREATE INDEX `mentions_due` ON `mentions` (`platform`,`due_at`) WHERE mentions.state = 'received' and mentions.behind = 0;--> statement-breakpoint
CREATE INDEX `mentions_waiting_by_author` ON `mentions` (`platform`,`author_id`) WHERE mentions.state = 'received';--> statement-breakpoint
CREATE INDEX `mentions_by_state` ON `mentions` (`state`);--> statement-breakpoint
CREATE TABLE `platforms` (
	`id` text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE `poll_cursors` (
	`platform` text PRIMARY KEY NOT NULL,
	`cursor` text,
	`updated_at` integer NOT NULL,
	`claimed_at` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`platform`) REFERENCES `platforms`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `replies` (
	`id` integer PRIMARY KEY NOT NULL,
	`mention_id` integer NOT NULL,
	`platform` text NOT NULL,
	`author_id` text NOT NULL,
	`thread_id` text NOT NULL,
	`kind` text NOT NULL,
	`text` text NOT NULL,
	`created_at` integer NOT NULL,
	`state` text NOT NULL,
	`attempts` integer NOT NULL,
	`post_id` text,
	`sent_at` integer,
	`last_error` text,
	`lease` text,
	`due_at` integer NOT NULL,
	`worth` integer DEFAULT 2 NOT NULL,
	`follow_up` integer DEFAULT false NOT NULL,
	`held_for` text,
	FOREIGN KEY (`mention_id`) REFERENCES `mentions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`platform`) REFERENCES `platforms`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "replies_kind" CHECK(kind in ('answer', 'unasked_help')),
	CONSTRAINT "replies_state" CHECK(state = 'queued' or state = 'sending' or state = 'sent' or state = 'failed' or state = 'unknown'),
	CONSTRAINT "replies_sent" CHECK((state = 'sent') = (post_id is not null) and (post_id is null) = (sent_at is null)),
	CONSTRAINT "replies_lease" CHECK(lease is null or (state <> 'sent' and state <> 'failed')),
	CONSTRAINT "replies_follow_up" CHECK(follow_up = 0 or follow_up = 1),
	CONSTRAINT "replies_held" CHECK(held_for is null or (state = 'queued' and (held_for = 'author' or held_for = 'thread' or held_for = 'first_reply')))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `replies_by_mention` ON `replies` (`mention_id`,`follow_up`);--> statement-breakpoint
CREATE INDEX `replies_due` ON `replies` (`platform`,`worth`,`due_at`) WHERE replies.state <> 'sent' and replies.state <> 'failed';--> statement-breakpoint
CREATE INDEX `replies_by_sending` ON `replies` (`platform`,`sent_at`) WHERE replies.sent_at is not null;--> statement-breakpoint
CREATE INDEX `replies_by_author` ON `replies` (`platform`,`author_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `replies_sent_to_author` ON `replies` (`platform`,`author_id`,`sent_at`) WHERE replies.sent_at is not null;--> statement-breakpoint
CREATE INDEX `replies_sent_in_thread` ON `replies` (`platform`,`thread_id`,`sent_at`) WHERE replies.sent_at is not null;--> statement-breakpoint
CREATE INDEX `replies_open_to_author` ON `replies` (`platform`,`author_id`) WHERE replies.state <> 'sent' and replies.state <> 'failed';--> statement-breakpoint
CREATE INDEX `replies_open_in_thread` ON `replies` (`platform`,`thread_id`) WHERE replies.state <> 'sent' and replies.state <> 'failed';--> statement-breakpoint
CREATE INDEX `replies_unposted` ON `replies` (`platform`,`author_id`) WHERE (replies.held_for is not null or replies.state = 'failed');--> statement-breakpoint
CREATE INDEX `replies_by_post` ON `replies` (`platform`,`post_id`);--> statement-breakpoint
CREATE INDEX `replies_by_state` ON `replies` (`state`);--> statement-breakpoint
CREATE TABLE `sessions` (
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
CREATE TABLE `state_counts` (
	`subject` text NOT NULL,
	`state` text NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`subject`, `state`),
	CONSTRAINT "state_counts_n" CHECK(n >= 0)
);
--> statement-breakpoint
CREATE TABLE `tips` (
	`id` integer PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL,
	`gig_id` integer NOT NULL,
	`token_id` integer NOT NULL,
	`amount` text NOT NULL,
	`status` text NOT NULL,
	`platform` text NOT NULL,
	`platform_user_id` text NOT NULL,
	`user_address` text,
	`tx_hash` text,
	`claimed_at` integer,
	`claim_nonce` text,
	`claim_started_at` integer,
	`lock_timeout` integer,
	`transfer_id` integer,
	`awarded_by` integer,
	`is_void` integer DEFAULT false NOT NULL,
	`voided_at` integer,
	`void_reason` text,
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`token_id`) REFERENCES `tokens`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`transfer_id`) REFERENCES `transfers`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`awarded_by`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`platform`,`platform_user_id`) REFERENCES `accounts`(`platform`,`platform_user_id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "tips_amount" CHECK(amount <> '' and amount not glob '*[^0-9]*'),
	CONSTRAINT "tips_status" CHECK(status in ('pending', 'claimed')),
	CONSTRAINT "tips_user_address" CHECK(length(user_address) = 42 and user_address glob '0x*' and substr(user_address, 3) not glob '*[^0-9a-f]*'),
	CONSTRAINT "tips_transfer" CHECK(transfer_id is null or status = 'pending' or claim_nonce is null and tx_hash is not null and claimed_at is not null),
	CONSTRAINT "tips_void" CHECK(iif(is_void = 0, voided_at is null and void_reason is null, is_void = 1 and voided_at is not null and void_reason is not null and status = 'pending' and claim_nonce is null and transfer_id is null))
);
--> statement-breakpoint
CREATE INDEX `tips_pending` ON `tips` (`platform`,`platform_user_id`,`created_at`,`gig_id`,`token_id`,`amount`,`user_address`,`tx_hash`,`claim_nonce`,`claim_started_at`,`lock_timeout`) WHERE tips.status = 'pending' and tips.is_void = 0;--> statement-breakpoint
CREATE INDEX `tips_by_gig` ON `tips` (`gig_id`,`platform`,`platform_user_id`);--> statement-breakpoint
CREATE INDEX `tips_by_transfer` ON `tips` (`transfer_id`) WHERE tips.transfer_id is not null;--> statement-breakpoint
CREATE TABLE `tokens` (
	`id` integer PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL,
	`address` text NOT NULL,
	`chain_id` integer NOT NULL,
	`decimals` integer NOT NULL,
	`name` text NOT NULL,
	`symbol` text NOT NULL,
	`image_url` text NOT NULL,
	`is_native` integer NOT NULL,
	`coingecko_id` text,
	CONSTRAINT "tokens_address" CHECK(length(address) = 42 and address glob '0x*' and substr(address, 3) not glob '*[^0-9a-f]*'),
	CONSTRAINT "tokens_decimals" CHECK(decimals between 0 and 255),
	CONSTRAINT "tokens_is_native" CHECK(is_native in (0, 1))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_by_address` ON `tokens` (`chain_id`,`address`);--> statement-breakpoint
CREATE INDEX `tokens_on_all_chains` ON `tokens` (`address`);--> statement-breakpoint
CREATE TABLE `transfer_attempts` (
	`hash` text PRIMARY KEY NOT NULL,
	`transfer_id` integer NOT NULL,
	`raw` text NOT NULL,
	`max_fee_per_gas` text NOT NULL,
	`max_priority_fee_per_gas` text NOT NULL,
	`gas` text NOT NULL,
	`signed_at` integer NOT NULL,
	FOREIGN KEY (`transfer_id`) REFERENCES `transfers`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "transfer_attempts_hash" CHECK(length(hash) = 66 and hash glob '0x*' and substr(hash, 3) not glob '*[^0-9a-f]*'),
	CONSTRAINT "transfer_attempts_raw" CHECK(length(raw) > 2 and length(raw) % 2 = 0 and raw glob '0x*' and substr(raw, 3) not glob '*[^0-9a-f]*'),
	CONSTRAINT "transfer_attempts_max_fee" CHECK(max_fee_per_gas <> '' and max_fee_per_gas not glob '*[^0-9]*'),
	CONSTRAINT "transfer_attempts_priority_fee" CHECK(max_priority_fee_per_gas <> '' and max_priority_fee_per_gas not glob '*[^0-9]*'),
	CONSTRAINT "transfer_attempts_gas" CHECK(gas <> '' and gas not glob '*[^0-9]*')
);
--> statement-breakpoint
CREATE INDEX `transfer_attempts_by_transfer` ON `transfer_attempts` (`transfer_id`);--> statement-breakpoint
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
CREATE UNIQUE INDEX `transfers_one_fee` ON `transfers` (`gig_id`) WHERE transfers.kind = 'fee' and transfers.state not in ('failed', 'replaced');--> statement-breakpoint
CREATE INDEX `transfers_planned` ON `transfers` (`chain_id`,`sender`) WHERE transfers.state = 'planned';--> statement-breakpoint
CREATE INDEX `transfers_by_claim` ON `transfers` (`claim_id`) WHERE transfers.claim_id is not null;--> statement-breakpoint
CREATE INDEX `transfers_by_gig` ON `transfers` (`gig_id`);--> statement-breakpoint
CREATE INDEX `transfers_by_kind` ON `transfers` (`kind`,`state`);--> statement-breakpoint
CREATE TABLE `write_checks` (
	`id` integer PRIMARY KEY NOT NULL,
	`written_at` integer NOT NULL,
	CONSTRAINT "write_checks_single" CHECK(id = 1)
);--> statement-breakpoint
-- A live gig keeps its terms: people earn by them. Every column counts but those of the start lock.
CREATE TRIGGER gigs_live_no_update
BEFORE UPDATE OF
	id, created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration, gig_type,
	platform, wallet_address, how_to_earn, earning_criteria, external_url, verifier
ON gigs WHEN OLD.status = 'live'
BEGIN
	SELECT RAISE(ABORT, 'a live gig cannot be changed');
END;
--> statement-breakpoint
CREATE TRIGGER gigs_live_no_delete
BEFORE DELETE ON gigs WHEN OLD.status = 'live'
BEGIN
	SELECT RAISE(ABORT, 'a live gig cannot be deleted');
END;
--> statement-breakpoint
-- REPLACE deletes the row in its way without firing delete triggers.
CREATE TRIGGER gigs_live_no_replace
BEFORE INSERT ON gigs
WHEN EXISTS (
	SELECT 1 FROM gigs WHERE status = 'live' AND (id = NEW.id OR wallet_address = NEW.wallet_address)
)
BEGIN
	SELECT RAISE(ABORT, 'a live gig cannot be replaced');
END;
--> statement-breakpoint
-- Once a mention is over, the next of its author no longer stands behind it.
CREATE TRIGGER mentions_next_leads
AFTER UPDATE OF state ON mentions WHEN OLD.state = 'received' AND NEW.state <> 'received'
BEGIN
	UPDATE mentions SET behind = 0 WHERE behind = 1 AND id = (
		SELECT min(id) FROM mentions WHERE state = 'received' AND platform = NEW.platform AND author_id = NEW.author_id
	);
END;
--> statement-breakpoint
CREATE TRIGGER mentions_next_leads_on_delete
AFTER DELETE ON mentions WHEN OLD.state = 'received'
BEGIN
	UPDATE mentions SET behind = 0 WHERE behind = 1 AND id = (
		SELECT min(id) FROM mentions WHERE state = 'received' AND platform = OLD.platform AND author_id = OLD.author_id
	);
END;
--> statement-breakpoint
CREATE TRIGGER mentions_count_update AFTER UPDATE OF state ON mentions WHEN OLD.state <> NEW.state
BEGIN
	UPDATE state_counts SET n = n - 1 WHERE subject = 'mentions' AND state = OLD.state;
	INSERT INTO state_counts (subject, state, n) SELECT 'mentions', NEW.state, 1 WHERE NEW.state <> 'received'
	ON CONFLICT DO UPDATE SET n = n + 1;
END;
--> statement-breakpoint
CREATE TRIGGER mentions_count_delete AFTER DELETE ON mentions
BEGIN
	UPDATE state_counts SET n = n - 1 WHERE subject = 'mentions' AND state = OLD.state;
END;
--> statement-breakpoint
CREATE TRIGGER replies_count_insert AFTER INSERT ON replies
BEGIN
	INSERT INTO state_counts (subject, state, n) VALUES ('replies', NEW.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
--> statement-breakpoint
CREATE TRIGGER replies_count_update AFTER UPDATE OF state ON replies WHEN OLD.state <> NEW.state
BEGIN
	UPDATE state_counts SET n = n - 1 WHERE subject = 'replies' AND state = OLD.state;
	INSERT INTO state_counts (subject, state, n) VALUES ('replies', NEW.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
--> statement-breakpoint
CREATE TRIGGER replies_count_delete AFTER DELETE ON replies
BEGIN
	UPDATE state_counts SET n = n - 1 WHERE subject = 'replies' AND state = OLD.state;
END;
--> statement-breakpoint
CREATE TRIGGER transfers_count_insert AFTER INSERT ON transfers
BEGIN
	INSERT INTO state_counts (subject, state, n) VALUES ('transfers', NEW.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
--> statement-breakpoint
CREATE TRIGGER transfers_count_update AFTER UPDATE OF state ON transfers WHEN OLD.state <> NEW.state
BEGIN
	UPDATE state_counts SET n = n - 1 WHERE subject = 'transfers' AND state = OLD.state;
	INSERT INTO state_counts (subject, state, n) VALUES ('transfers', NEW.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
--> statement-breakpoint
CREATE TRIGGER transfers_count_delete AFTER DELETE ON transfers
BEGIN
	UPDATE state_counts SET n = n - 1 WHERE subject = 'transfers' AND state = OLD.state;
END;
--> statement-breakpoint
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
