ALTER TABLE "poll_cursors" ADD COLUMN "paused_until" bigint;--> statement-breakpoint
ALTER TABLE "poll_cursors" ADD COLUMN "pause_reason" text collate "C";