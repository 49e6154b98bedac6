ALTER TABLE "claims" DROP CONSTRAINT "claims_source";--> statement-breakpoint
ALTER TABLE "claims" ADD CONSTRAINT "claims_source" CHECK (source in ('mention', 'url', 'page', 'snap'));