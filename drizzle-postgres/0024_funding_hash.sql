ALTER TABLE "gigs" ADD COLUMN "funding_hash" text collate "C";--> statement-breakpoint
ALTER TABLE "gigs" ADD CONSTRAINT "gigs_funding_hash" CHECK (funding_hash ~ '^0x[0-9a-f]{64}$');