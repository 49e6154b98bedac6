import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { REFUSAL_REASONS } from '../../src/domain/earning/earning.ts';
import { kindOf, RULE_TYPES, type Rule } from '../../src/domain/earning/rules/index.ts';
import { fillRules } from '../../src/domain/earning/terms/fill-rules.ts';
import { writeRules } from '../../src/domain/earning/terms/rules-json.ts';
import { describeRule } from '../../src/domain/earning/words/sentence.ts';
import { HOUR_MS } from '../../src/domain/time.ts';
import { SAMPLE_RULES } from '../support/earning.ts';

const TEXT = readFileSync(new URL('../../docs/earning.md', import.meta.url), 'utf8');

const USDC = { decimals: 6, symbol: 'USDC' };
const LIKE = { gigType: 'like', platform: 'farcaster', target: null, token: USDC } as const;
const EACH_DAY = { roundMs: 24 * HOUR_MS, maxAmount: 1_000_000n };
/** The rules of the first table, as it has them. */
const CHOICES: readonly Rule[] = [
  { type: 'fixed', amount: 2_000_000n },
  { type: 'split', ...EACH_DAY },
  { type: 'weighted', by: 'score_reach', ...EACH_DAY },
  { type: 'raffle', winners: 2 },
  { type: 'verifier', maxAmount: 5_000_000n },
  {
    type: 'hold',
    token: { address: `0x${'ab'.repeat(20)}`, symbol: 'DEGEN', decimals: 18 },
    amount: 100n * 10n ** 18n,
    hours: 24,
    pays: { type: 'fixed', amount: 2_000_000n },
  },
  { type: 'manual' },
];

describe('the document about gigs that are watched', () => {
  test('behavior: names every reason, in the order in which they are asked for', () => {
    const named = [...TEXT.slice(TEXT.indexOf('## Refusals')).matchAll(/`([a-z]+(?:_[a-z]+)*)`/g)].map(
      ([, name]) => name,
    );
    const reasons: readonly string[] = REFUSAL_REASONS;
    expect([...new Set(named.filter((name) => name !== undefined && reasons.includes(name)))]).toEqual(reasons);
  });

  test.each(CHOICES)('behavior: its first table has the sentence and the fields of $type', (rule) => {
    const { form, onlyFor } = kindOf(rule);
    const gig = onlyFor === null ? LIKE : { ...LIKE, gigType: onlyFor };
    const labels = Object.values(form.fields).flatMap((field) =>
      // Of a choice with fields of its own, the choice.
      'group' in field ? (field.group['type']?.label ?? []) : field.label,
    );
    const fields = labels.length === 0 ? form.choice : `${form.choice}: ${labels.join(', ')}`;
    expect(TEXT).toContain(`| \`${rule.type}\` | ${describeRule({ ...SAMPLE_RULES, rule }, gig)} | ${fields} |`);
  });

  test('behavior: its first table has every rule', () => {
    expect(CHOICES.map(({ type }) => type)).toEqual(RULE_TYPES);
  });

  test('behavior: names every rule', () => {
    const row = /^\| `rule` \|.*$/m.exec(TEXT)?.[0] ?? '';
    expect(RULE_TYPES.filter((type) => !row.includes(`\`${type}\``) && !row.includes(`"type":"${type}"`))).toEqual([]);
  });

  test('behavior: shows the defaults', () => {
    const money = { decimals: 6, rewardAmount: 10_000_000n };
    const context = { ...money, duration: 604_800_000, gigType: 'like', hasLabels: false } as const;
    const filled = fillRules({ rule: { type: 'fixed', amount: '2' } }, context);
    if ('problems' in filled) throw new Error(filled.problems.join());
    const rules = writeRules(filled.rules, 6);
    expect(TEXT).toContain(`"earning_rules":${JSON.stringify(rules)}`);
    const { gates, hold_hours: hold, tips_by_request: byRequest } = rules;
    const rows = { ...gates, hold_hours: hold, tips_by_request: byRequest };
    const rowOf = (field: string) => new RegExp(`^\\| \`(?:gates\\.)?${field}\` \\| \`([^\`]+)\` \\|`, 'm');
    const shown = Object.keys(rows).map((field) => rowOf(field).exec(TEXT)?.[1]);
    expect(shown).toEqual(Object.values(rows).map(String));
  });
});
