CREATE TABLE "odd_answers" (
	"kind" text collate "C" PRIMARY KEY NOT NULL,
	"service" text collate "C" NOT NULL,
	"method" text collate "C" NOT NULL,
	"path" text collate "C" NOT NULL,
	"status" bigint NOT NULL,
	"basis" text collate "C" NOT NULL,
	"content_type" text collate "C",
	"retry_after" text collate "C",
	"body" text collate "C" NOT NULL,
	"first_seen_at" bigint NOT NULL,
	"last_seen_at" bigint NOT NULL,
	"times" bigint NOT NULL,
	CONSTRAINT "odd_answers_kind" CHECK (kind ~ '^[0-9a-f]{64}$'),
	CONSTRAINT "odd_answers_basis" CHECK (basis = 'status' or basis = 'type' or basis = 'words'),
	CONSTRAINT "odd_answers_times" CHECK (times is not null and times >= 1)
);
--> statement-breakpoint
CREATE INDEX "odd_answers_by_time" ON "odd_answers" USING btree ("last_seen_at","kind");