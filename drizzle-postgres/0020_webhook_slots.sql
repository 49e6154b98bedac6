ALTER TABLE "webhook_endpoints" ADD COLUMN "asked_at" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "slow_at" bigint DEFAULT 0 NOT NULL;