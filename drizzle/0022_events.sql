CREATE TABLE `event_deliveries` (
	`place` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`event_id` integer NOT NULL,
	`endpoint_id` integer NOT NULL,
	`gig_id` integer NOT NULL,
	`state` text NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`next_at` integer NOT NULL,
	`lease` text,
	`queued_at` integer NOT NULL,
	`ended_at` integer,
	`error` text,
	`status` integer,
	`replay` integer NOT NULL,
	FOREIGN KEY (`event_id`) REFERENCES `events`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`endpoint_id`) REFERENCES `webhook_endpoints`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "event_deliveries_id" CHECK(id <> ''),
	CONSTRAINT "event_deliveries_state" CHECK(state = 'queued' or state = 'delivered' or state = 'failed'),
	CONSTRAINT "event_deliveries_tries" CHECK(typeof(tries) = 'integer' and tries >= 0),
	CONSTRAINT "event_deliveries_ended_at" CHECK((state = 'queued') = (ended_at is null)),
	CONSTRAINT "event_deliveries_lease" CHECK(lease is null or state = 'queued'),
	CONSTRAINT "event_deliveries_replay" CHECK(replay in (0, 1))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `event_deliveries_by_id` ON `event_deliveries` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `event_deliveries_once` ON `event_deliveries` (`event_id`,`endpoint_id`) WHERE event_deliveries.replay = 0;--> statement-breakpoint
CREATE INDEX `event_deliveries_due` ON `event_deliveries` (`endpoint_id`,`next_at`) WHERE event_deliveries.state = 'queued';--> statement-breakpoint
CREATE INDEX `event_deliveries_in_order` ON `event_deliveries` (`endpoint_id`,`replay`,`place`,`next_at`) WHERE event_deliveries.state = 'queued';--> statement-breakpoint
CREATE INDEX `event_deliveries_of_gig` ON `event_deliveries` (`endpoint_id`,`gig_id`,`replay`,`place`) WHERE event_deliveries.state = 'queued';--> statement-breakpoint
CREATE INDEX `event_deliveries_made` ON `event_deliveries` (`endpoint_id`,`ended_at`) WHERE event_deliveries.state = 'delivered';--> statement-breakpoint
CREATE INDEX `event_deliveries_ended` ON `event_deliveries` (`ended_at`) WHERE event_deliveries.ended_at is not null;--> statement-breakpoint
CREATE INDEX `event_deliveries_by_endpoint` ON `event_deliveries` (`endpoint_id`,`place`);--> statement-breakpoint
CREATE TABLE `event_releases` (
	`id` integer PRIMARY KEY NOT NULL,
	`holder` text NOT NULL,
	`until` integer NOT NULL,
	CONSTRAINT "event_releases_single" CHECK(id = 1)
);
--> statement-breakpoint
CREATE TABLE `events` (
	`id` integer PRIMARY KEY NOT NULL,
	`uid` text NOT NULL,
	`seq` integer,
	`type` text NOT NULL,
	`at` integer NOT NULL,
	`gig_id` integer NOT NULL,
	`client` text,
	`facts` text NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	FOREIGN KEY (`gig_id`) REFERENCES `gigs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "events_uid" CHECK(uid <> ''),
	CONSTRAINT "events_facts" CHECK(json_valid(facts))
);
--> statement-breakpoint
CREATE INDEX `events_unreleased` ON `events` (`id`) WHERE events.seq is null;--> statement-breakpoint
CREATE UNIQUE INDEX `events_by_seq` ON `events` (`seq`) WHERE events.seq is not null;--> statement-breakpoint
CREATE INDEX `events_by_client` ON `events` (`client`,`seq`) WHERE events.seq is not null;--> statement-breakpoint
CREATE INDEX `events_by_gig` ON `events` (`gig_id`,`seq`) WHERE events.seq is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `events_once` ON `events` (`gig_id`,`type`) WHERE events.type in ('gig.funded', 'gig.ended');--> statement-breakpoint
CREATE TABLE `webhook_endpoints` (
	`id` integer PRIMARY KEY NOT NULL,
	`client` text,
	`url` text NOT NULL,
	`types` text NOT NULL,
	`salt` text NOT NULL,
	`old_salt` text,
	`rotated_at` integer,
	`created_at` integer NOT NULL,
	`api_key_id` integer,
	`from_seq` integer NOT NULL,
	`queued_seq` integer NOT NULL,
	`paused_at` integer,
	`paused_because` text,
	`deleted_at` integer,
	`lease` text,
	`next_at` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`api_key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "webhook_endpoints_salt" CHECK(salt <> ''),
	CONSTRAINT "webhook_endpoints_rotated" CHECK((old_salt is null) = (rotated_at is null)),
	CONSTRAINT "webhook_endpoints_paused" CHECK((paused_at is null) = (paused_because is null)),
	CONSTRAINT "webhook_endpoints_because" CHECK(paused_because is null or paused_because = 'asked' or paused_because = 'gone' or paused_because = 'silent')
);
--> statement-breakpoint
CREATE INDEX `webhook_endpoints_due` ON `webhook_endpoints` (`next_at`) WHERE webhook_endpoints.paused_at is null and webhook_endpoints.deleted_at is null;--> statement-breakpoint
CREATE INDEX `webhook_endpoints_leased` ON `webhook_endpoints` (`client`) WHERE webhook_endpoints.lease is not null;--> statement-breakpoint
CREATE INDEX `webhook_endpoints_by_client` ON `webhook_endpoints` (`client`,`id`) WHERE webhook_endpoints.deleted_at is null;--> statement-breakpoint
CREATE INDEX `webhook_endpoints_troubled` ON `webhook_endpoints` (`id`) WHERE webhook_endpoints.paused_because <> 'asked' and webhook_endpoints.deleted_at is null;--> statement-breakpoint
CREATE INDEX `gigs_waiting` ON `gigs` (`created_at`) WHERE gigs.status = 'created' and gigs.cancelled_at is null;