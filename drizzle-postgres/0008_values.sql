CREATE TABLE "gig_events" (
	"id" text collate "C" PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gig_types" (
	"id" text collate "C" PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payment_kinds" (
	"id" text collate "C" PRIMARY KEY NOT NULL
);
--> statement-breakpoint
INSERT INTO gig_events (id) VALUES ('funded'), ('live'), ('mostly_awarded'), ('ended'), ('cancelled'), ('settled'), ('refunded');--> statement-breakpoint
INSERT INTO gig_types (id) VALUES ('mention'), ('like'), ('recast'), ('boost'), ('reply'), ('follow'), ('custom_bounty');--> statement-breakpoint
INSERT INTO payment_kinds (id) VALUES ('payout'), ('fee'), ('mark'), ('refund'), ('return');--> statement-breakpoint
ALTER TABLE "gigs" DROP CONSTRAINT "gigs_type";--> statement-breakpoint
ALTER TABLE "payments" DROP CONSTRAINT "payments_kind";--> statement-breakpoint
ALTER TABLE "replies" DROP CONSTRAINT "replies_event";--> statement-breakpoint
ALTER TABLE "gigs" ADD CONSTRAINT "gigs_gig_type_gig_types_id_fk" FOREIGN KEY ("gig_type") REFERENCES "public"."gig_types"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_kind_payment_kinds_id_fk" FOREIGN KEY ("kind") REFERENCES "public"."payment_kinds"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "replies" ADD CONSTRAINT "replies_event_gig_events_id_fk" FOREIGN KEY ("event") REFERENCES "public"."gig_events"("id") ON DELETE no action ON UPDATE no action;