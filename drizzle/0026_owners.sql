CREATE TABLE `allowed_owners` (
	`id` integer PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`allowed_at` integer NOT NULL,
	CONSTRAINT "allowed_owners_owner" CHECK(owner = lower(owner))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `allowed_owners_by_owner` ON `allowed_owners` (`owner`);--> statement-breakpoint
CREATE TABLE `owner_links` (
	`id` integer PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`wallet` text NOT NULL,
	`post_id` text NOT NULL,
	`mention_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`valid_from` integer,
	`ended_at` integer,
	FOREIGN KEY (`mention_id`) REFERENCES `mentions`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "owner_links_owner" CHECK(owner = lower(owner)),
	CONSTRAINT "owner_links_wallet" CHECK(length(wallet) = 42 and wallet glob '0x*' and substr(wallet, 3) not glob '*[^0-9a-f]*')
);
--> statement-breakpoint
CREATE UNIQUE INDEX `owner_links_live` ON `owner_links` (`owner`) WHERE owner_links.ended_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX `owner_links_by_mention` ON `owner_links` (`mention_id`);--> statement-breakpoint
CREATE INDEX `owner_links_by_wallet` ON `owner_links` (`wallet`,`id`) WHERE owner_links.ended_at is null;--> statement-breakpoint
CREATE INDEX `owner_links_valid` ON `owner_links` (`valid_from`,`created_at`) WHERE owner_links.ended_at is null;--> statement-breakpoint
ALTER TABLE `tokens` ADD `offered` integer DEFAULT false NOT NULL CONSTRAINT "tokens_offered" CHECK(offered in (0, 1));--> statement-breakpoint
CREATE INDEX `tokens_offered` ON `tokens` (`chain_id`,`symbol`) WHERE tokens.offered = 1;
