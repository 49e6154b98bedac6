DROP INDEX `replies_due`;--> statement-breakpoint
ALTER TABLE `replies` ADD `worth` integer DEFAULT 2 NOT NULL;--> statement-breakpoint
UPDATE `replies` SET `worth` = 4 WHERE `kind` = 'unasked_help';--> statement-breakpoint
CREATE INDEX `replies_by_sending` ON `replies` (`platform`,`sent_at`) WHERE replies.sent_at is not null;--> statement-breakpoint
CREATE INDEX `replies_due` ON `replies` (`platform`,`worth`,`due_at`) WHERE replies.state <> 'sent' and replies.state <> 'failed';--> statement-breakpoint
ALTER TABLE `poll_cursors` ADD `claimed_at` integer DEFAULT 0 NOT NULL;