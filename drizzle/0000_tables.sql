CREATE TABLE `accounts` (
	`platform` text NOT NULL,
	`platform_user_id` text NOT NULL,
	`username` text,
	`handle` text,
	`created_at` integer NOT NULL,
	`opted_out_at` integer,
	PRIMARY KEY(`platform`, `platform_user_id`),
	CONSTRAINT "accounts_platform" CHECK(platform in ('farcaster', 'twitter')),
	CONSTRAINT "accounts_user_id" CHECK(platform_user_id not glob '*[^0-9]*' and platform_user_id not glob '0?*' and platform_user_id <> ''),
	CONSTRAINT "accounts_handle" CHECK((username is null) = (handle is null) and handle = lower(handle))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_by_handle` ON `accounts` (`platform`,`handle`);--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`revoked_at` integer,
	`last_used_at` integer,
	CONSTRAINT "api_keys_hash" CHECK(length(hash) = 64 and hash not glob '*[^0-9a-f]*')
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_by_hash` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE TABLE `gig_owners` (
	`gig_id` integer NOT NULL,
	`platform` text NOT NULL,
	`platform_user_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`gig_id`, `platform`, `platform_user_id`),
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`platform`,`platform_user_id`) REFERENCES `accounts`(`platform`,`platform_user_id`) ON UPDATE no action ON DELETE no action
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
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`token_id`) REFERENCES `tokens`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "gig_transactions_amount" CHECK(amount <> '' and amount not glob '*[^0-9]*'),
	CONSTRAINT "gig_transactions_commission" CHECK(commission_amount <> '' and commission_amount not glob '*[^0-9]*'),
	CONSTRAINT "gig_transactions_block" CHECK(block_number <> '' and block_number not glob '*[^0-9]*')
);
--> statement-breakpoint
CREATE UNIQUE INDEX `gig_transactions_by_gig` ON `gig_transactions` (`gig_id`);--> statement-breakpoint
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
	FOREIGN KEY (`token_id`) REFERENCES `tokens`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "gigs_status" CHECK(status in ('created', 'live')),
	CONSTRAINT "gigs_production" CHECK(production = (status = 'live')),
	CONSTRAINT "gigs_reward" CHECK(reward_amount <> '' and reward_amount not glob '*[^0-9]*'),
	CONSTRAINT "gigs_fee" CHECK(fee_amount <> '' and fee_amount not glob '*[^0-9]*'),
	CONSTRAINT "gigs_window" CHECK(duration >= 0 and end_time = start_time + duration),
	CONSTRAINT "gigs_type" CHECK(gig_type in ('mention', 'like', 'recast', 'boost', 'reply', 'follow', 'custom_bounty')),
	CONSTRAINT "gigs_platform" CHECK(platform in ('farcaster', 'twitter')),
	CONSTRAINT "gigs_wallet" CHECK(length(wallet_address) = 42 and wallet_address glob '0x*' and substr(wallet_address, 3) not glob '*[^0-9a-f]*'),
	CONSTRAINT "gigs_start_lock" CHECK((start_lock_holder is null) = (start_lock_until is null))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `gigs_by_wallet` ON `gigs` (`wallet_address`);--> statement-breakpoint
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
	`silence` text,
	`last_error` text,
	`lease` text,
	`due_at` integer NOT NULL,
	FOREIGN KEY (`platform`,`author_id`) REFERENCES `accounts`(`platform`,`platform_user_id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "mentions_platform" CHECK(platform in ('farcaster', 'twitter')),
	CONSTRAINT "mentions_source" CHECK(source in ('webhook', 'poll')),
	CONSTRAINT "mentions_state" CHECK(state in ('received', 'answered', 'ignored', 'failed')),
	CONSTRAINT "mentions_silence" CHECK(silence in ('opted_out', 'author_limit', 'thread_limit', 'help_already_given', 'gave_up')),
	CONSTRAINT "mentions_lease" CHECK(lease is null or state = 'received')
);
--> statement-breakpoint
CREATE UNIQUE INDEX `mentions_by_post` ON `mentions` (`platform`,`post_id`);--> statement-breakpoint
CREATE INDEX `mentions_due` ON `mentions` (`platform`,`due_at`) WHERE mentions.state = 'received';--> statement-breakpoint
CREATE INDEX `mentions_waiting_by_author` ON `mentions` (`platform`,`author_id`) WHERE mentions.state = 'received';--> statement-breakpoint
CREATE TABLE `poll_cursors` (
	`platform` text PRIMARY KEY NOT NULL,
	`cursor` text,
	`updated_at` integer NOT NULL,
	CONSTRAINT "poll_cursors_platform" CHECK(platform in ('farcaster', 'twitter'))
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
	FOREIGN KEY (`mention_id`) REFERENCES `mentions`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "replies_platform" CHECK(platform in ('farcaster', 'twitter')),
	CONSTRAINT "replies_kind" CHECK(kind in ('answer', 'unasked_help')),
	CONSTRAINT "replies_state" CHECK(state in ('queued', 'sending', 'sent', 'failed', 'unknown')),
	CONSTRAINT "replies_sent" CHECK((state = 'sent') = (post_id is not null) and (post_id is null) = (sent_at is null)),
	CONSTRAINT "replies_lease" CHECK(lease is null or state in ('queued', 'sending', 'unknown'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `replies_by_mention` ON `replies` (`mention_id`);--> statement-breakpoint
CREATE INDEX `replies_due` ON `replies` (`platform`,`due_at`) WHERE replies.state in ('queued', 'sending', 'unknown');--> statement-breakpoint
CREATE INDEX `replies_by_author` ON `replies` (`platform`,`author_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `replies_by_thread` ON `replies` (`platform`,`thread_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `replies_by_post` ON `replies` (`platform`,`post_id`);--> statement-breakpoint
CREATE INDEX `replies_by_state` ON `replies` (`state`);--> statement-breakpoint
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
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`token_id`) REFERENCES `tokens`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`platform`,`platform_user_id`) REFERENCES `accounts`(`platform`,`platform_user_id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "tips_amount" CHECK(amount <> '' and amount not glob '*[^0-9]*'),
	CONSTRAINT "tips_status" CHECK(status in ('pending', 'claimed')),
	CONSTRAINT "tips_platform" CHECK(platform in ('farcaster', 'twitter')),
	CONSTRAINT "tips_user_address" CHECK(length(user_address) = 42 and user_address glob '0x*' and substr(user_address, 3) not glob '*[^0-9a-f]*')
);
--> statement-breakpoint
CREATE INDEX `tips_pending_farcaster` ON `tips` (`platform_user_id`) WHERE tips.status = 'pending' and tips.platform = 'farcaster';--> statement-breakpoint
CREATE INDEX `tips_pending_twitter` ON `tips` (`platform_user_id`) WHERE tips.status = 'pending' and tips.platform = 'twitter';--> statement-breakpoint
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
CREATE TABLE `write_checks` (
	`id` integer PRIMARY KEY NOT NULL,
	`written_at` integer NOT NULL,
	CONSTRAINT "write_checks_single" CHECK(id = 1)
);
