import { expect, test } from 'vitest';
import { CLAIM_REFUSALS } from '../../../src/domain/claims/claim-refusals.ts';
import type { RefusalRow } from '../../../src/domain/refusal-row.ts';

const FIELDS = { platform: 'twitter', username: 'alice' };

/** When each is answered, and its words for the API, the command line, the bot and people. */
const TABLE = `
account_not_found 404 No account of the platform has this handle
  No account of X has the handle alice
  X has no account with the handle alice.
not_a_claim 400 The post does not ask to claim
  Message must contain "claim my rewards" with an optional Ethereum address
  The claim cannot be made: not a claim.
  To be paid, mention me with "claim my rewards" and, if you like, one Ethereum address.
invalid_address 400 The post names an address that is not valid
  Invalid Ethereum address provided
  The claim cannot be made: invalid address.
  I cannot pay to that address. It must be 0x and 40 hex digits, all in one case or with a valid checksum.
several_addresses 400 The post names several addresses
  Multiple Ethereum addresses found in the cast
  The claim cannot be made: several addresses.
  Your post names several addresses. Please name one.
no_verified_address 400 The author has no verified address, and the post names none
  No verified address found
  The claim cannot be made: no verified address.
  You have no verified Ethereum address. Verify one, or name one: "claim my rewards 0x…".
  The account has no verified Ethereum address.
no_address 400 The post names no address, which the platform needs
  No verified address found
  The claim cannot be made: no address.
  Please name the address to pay: "claim my rewards 0x…".
post_too_old 400 The post is too old to claim by
  The post is older than 24 hours
  The claim cannot be made: post too old.
  That post is too old for a claim. Please post again.
post_not_found 404 There is no such post
  Post not found
  The claim cannot be made: post not found.
  I cannot find that post.
no_tips 404 The author has nothing to claim
  No tips found
  The claim cannot be made: no tips.
  You have no claimable tokens at the moment.
  Nothing is left to claim. Your latest claims are below.
platform_off 503 The operator has not configured the platform
  X is turned off: the operator has not configured it
  The claim cannot be made: platform off.
`;
const ROWS = TABLE.trim()
  .split(/\n(?! )/)
  .map((lines) => {
    const [head = '', ...words] = lines.split('\n').map((line) => line.trim());
    const [, code = '', status, when] = /^(\w+) (\d+) (.*)$/.exec(head) ?? [];
    return [code, Number(status), when, words] as const;
  });

test.each(ROWS)('error: %s answers %i, and tells each reader what is refused', (code, status, when, words) => {
  const [api = '', cli, bot = 'That did not work.', person = api] = words;
  const row = Object.entries<RefusalRow<typeof FIELDS>>(CLAIM_REFUSALS).find(([name]) => name === code)?.[1];
  expect([row?.status, row?.when, row?.body(FIELDS), row?.cli(FIELDS), row?.person(FIELDS)]).toEqual([
    ...[status, when, { error: api }],
    ...[cli, person],
  ]);
  expect(row?.bot(FIELDS, { replyLimit: 320, measure: (text) => text.length })).toBe(bot);
});

test('behavior: every refusal of a claim has its words', () => {
  expect(ROWS.map(([code]) => code)).toEqual(Object.keys(CLAIM_REFUSALS));
});
