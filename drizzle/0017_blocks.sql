ALTER TABLE `gigs` ADD `created_block` integer CONSTRAINT "gigs_created_block" CHECK(created_block is null or typeof(created_block) = 'integer' and created_block between 0 and 9007199254740991);--> statement-breakpoint
ALTER TABLE `ledger_state` ADD `floor_server` text;--> statement-breakpoint
ALTER TABLE `tank_attempts` ADD `signed_block` integer CONSTRAINT "tank_attempts_signed_block" CHECK(signed_block is null or typeof(signed_block) = 'integer' and signed_block between 0 and 9007199254740991);--> statement-breakpoint
-- What a gig's wallet pays before its start the ledger has lost, so that it is newer than the last block on which it counts.
UPDATE `gigs` SET `created_block` = (
	SELECT chain_anchors.number FROM chain_anchors JOIN tokens ON tokens.chain_id = chain_anchors.chain_id WHERE tokens.id = gigs.token_id
) WHERE `status` = 'created';--> statement-breakpoint
CREATE TRIGGER gigs_created_block_stays
BEFORE UPDATE OF created_block ON gigs
BEGIN
	SELECT RAISE(ABORT, 'a gig keeps the block of its creation');
END;
