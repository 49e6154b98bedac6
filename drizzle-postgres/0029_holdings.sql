CREATE TABLE "entries" (
	"gig_id" bigint NOT NULL,
	"platform" text collate "C" NOT NULL,
	"platform_user_id" text collate "C" NOT NULL,
	"state" text collate "C" NOT NULL,
	"due_at" bigint NOT NULL,
	"joined_at" bigint NOT NULL,
	"entered_at" bigint,
	"slot" bigint,
	"entry_amount" numeric(78, 0),
	"entry_block" bigint,
	"entry_hash" text collate "C",
	"last_amount" numeric(78, 0),
	"last_block" bigint,
	"last_hash" text collate "C",
	"counted" bigint DEFAULT 0 NOT NULL,
	"unknown_since" bigint,
	CONSTRAINT "entries_gig_id_platform_platform_user_id_pk" PRIMARY KEY("gig_id","platform","platform_user_id"),
	CONSTRAINT "entries_state" CHECK (state = 'joined' or state = 'entered' or state = 'told'),
	CONSTRAINT "entries_entered" CHECK (state <> 'entered' or (slot is not null and entry_amount is not null)),
	CONSTRAINT "entries_entry" CHECK ((entry_amount is null) = (entry_block is null) and (entry_amount is null) = (entry_hash is null)),
	CONSTRAINT "entries_last" CHECK ((last_amount is null) = (last_block is null) and (last_amount is null) = (last_hash is null)),
	CONSTRAINT "entries_entry_amount" CHECK (entry_amount >= 0 and entry_amount <> 'NaN'),
	CONSTRAINT "entries_last_amount" CHECK (last_amount >= 0 and last_amount <> 'NaN'),
	CONSTRAINT "entries_entry_hash" CHECK (entry_hash ~ '^0x[0-9a-f]{64}$'),
	CONSTRAINT "entries_last_hash" CHECK (last_hash ~ '^0x[0-9a-f]{64}$'),
	CONSTRAINT "entries_counted" CHECK (counted is not null and counted >= 0)
);
--> statement-breakpoint
CREATE TABLE "entry_addresses" (
	"gig_id" bigint NOT NULL,
	"address" text collate "C" NOT NULL,
	"platform" text collate "C" NOT NULL,
	"platform_user_id" text collate "C" NOT NULL,
	CONSTRAINT "entry_addresses_gig_id_address_pk" PRIMARY KEY("gig_id","address"),
	CONSTRAINT "entry_addresses_address" CHECK (address ~ '^0x[0-9a-f]{40}$')
);
--> statement-breakpoint
CREATE TABLE "entry_draws" (
	"gig_id" bigint NOT NULL,
	"slot" bigint NOT NULL,
	"begun_block" bigint NOT NULL,
	"begun_hash" text collate "C" NOT NULL,
	"not_before" bigint NOT NULL,
	"drawn_at" bigint NOT NULL,
	CONSTRAINT "entry_draws_gig_id_slot_pk" PRIMARY KEY("gig_id","slot"),
	CONSTRAINT "entry_draws_hash" CHECK (begun_hash ~ '^0x[0-9a-f]{64}$'),
	CONSTRAINT "entry_draws_time" CHECK (not_before > slot)
);
--> statement-breakpoint
ALTER TABLE "earnings" DROP CONSTRAINT "earnings_reason";--> statement-breakpoint
ALTER TABLE "evaluations" DROP CONSTRAINT "evaluations_reason";--> statement-breakpoint
ALTER TABLE "observations" DROP CONSTRAINT "observations_kind";--> statement-breakpoint
ALTER TABLE "observations" DROP CONSTRAINT "observations_object";--> statement-breakpoint
ALTER TABLE "watches" ADD COLUMN "entry_secret" text collate "C";--> statement-breakpoint
ALTER TABLE "entries" ADD CONSTRAINT "entries_gig_id_platform_platform_user_id_earnings_gig_id_platform_platform_user_id_fk" FOREIGN KEY ("gig_id","platform","platform_user_id") REFERENCES "public"."earnings"("gig_id","platform","platform_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "entry_addresses" ADD CONSTRAINT "entry_addresses_gig_id_platform_platform_user_id_earnings_gig_id_platform_platform_user_id_fk" FOREIGN KEY ("gig_id","platform","platform_user_id") REFERENCES "public"."earnings"("gig_id","platform","platform_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "entry_draws" ADD CONSTRAINT "entry_draws_gig_id_gigs_id_fk" FOREIGN KEY ("gig_id") REFERENCES "public"."gigs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "entries_due" ON "entries" USING btree ("gig_id","due_at","platform","platform_user_id") WHERE entries.state <> 'told';--> statement-breakpoint
CREATE INDEX "entries_in_slot" ON "entries" USING btree ("gig_id","slot","platform","platform_user_id") WHERE entries.state <> 'told';--> statement-breakpoint
CREATE INDEX "entry_addresses_by_account" ON "entry_addresses" USING btree ("gig_id","platform","platform_user_id");--> statement-breakpoint
ALTER TABLE "earnings" ADD CONSTRAINT "earnings_reason" CHECK (reason = 'before_start' or reason = 'after_end' or reason = 'own_account' or reason = 'blocked' or reason = 'withdrawn' or reason = 'account_gone' or reason = 'score_unknown' or reason = 'score_too_low' or reason = 'too_young' or reason = 'too_few_followers' or reason = 'labelled_spam' or reason = 'no_verified_address' or reason = 'same_address' or reason = 'text_too_short' or reason = 'duplicate_text' or reason = 'too_little_held' or reason = 'reward_used_up' or reason = 'share_too_small' or reason = 'not_drawn' or reason = 'verifier_refused' or reason = 'not_decided');--> statement-breakpoint
ALTER TABLE "evaluations" ADD CONSTRAINT "evaluations_reason" CHECK (reason = 'before_start' or reason = 'after_end' or reason = 'own_account' or reason = 'blocked' or reason = 'withdrawn' or reason = 'account_gone' or reason = 'score_unknown' or reason = 'score_too_low' or reason = 'too_young' or reason = 'too_few_followers' or reason = 'labelled_spam' or reason = 'no_verified_address' or reason = 'same_address' or reason = 'text_too_short' or reason = 'duplicate_text' or reason = 'too_little_held' or reason = 'reward_used_up' or reason = 'share_too_small' or reason = 'not_drawn' or reason = 'verifier_refused' or reason = 'not_decided');--> statement-breakpoint
ALTER TABLE "observations" ADD CONSTRAINT "observations_kind" CHECK (kind = 'like' or kind = 'recast' or kind = 'quote' or kind = 'reply' or kind = 'mention' or kind = 'follow' or kind = 'submission' or kind = 'join');--> statement-breakpoint
ALTER TABLE "observations" ADD CONSTRAINT "observations_object" CHECK ((object_id = '') = (kind = 'like' or kind = 'recast' or kind = 'follow' or kind = 'join'));--> statement-breakpoint
ALTER TABLE "watches" ADD CONSTRAINT "watches_entry_secret" CHECK (entry_secret ~ '^[0-9a-f]{64}$');