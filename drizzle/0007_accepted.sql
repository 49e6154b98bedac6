CREATE TABLE `accepted_uses` (
	`id` integer PRIMARY KEY NOT NULL,
	`gig_id` integer NOT NULL,
	`nonce` integer,
	`hash` text,
	`accepted_at` integer NOT NULL,
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "accepted_uses_one" CHECK((nonce is null) <> (hash is null)),
	CONSTRAINT "accepted_uses_nonce" CHECK(nonce >= 0),
	CONSTRAINT "accepted_uses_hash" CHECK(length(hash) = 66 and hash glob '0x*' and substr(hash, 3) not glob '*[^0-9a-f]*')
);
--> statement-breakpoint
CREATE UNIQUE INDEX `accepted_uses_by_nonce` ON `accepted_uses` (`gig_id`,`nonce`);--> statement-breakpoint
CREATE UNIQUE INDEX `accepted_uses_by_hash` ON `accepted_uses` (`gig_id`,`hash`);