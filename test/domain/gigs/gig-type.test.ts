import { describe, expect, test } from 'vitest';
import { ACTS_OF, readsActs } from '../../../src/domain/earning/act.ts';
import { onlyRuleOf } from '../../../src/domain/earning/rules/index.ts';
import { GIG_TYPES } from '../../../src/domain/gigs/gig.ts';
import { GIG_TYPE_TRAITS, isAboutAnAccount, isAboutAPost } from '../../../src/domain/gigs/gig-type.ts';

describe('the traits of gig types', () => {
  test('behavior: each type is told apart by what it is about and by how accounts take part', () => {
    expect(GIG_TYPES.filter(isAboutAPost)).toEqual(['like', 'recast', 'boost', 'reply']);
    expect(GIG_TYPES.filter(isAboutAnAccount)).toEqual(['mention', 'follow']);
    const commands = GIG_TYPES.map((type) => [type, GIG_TYPE_TRAITS[type].command] as const);
    expect(commands.filter(([, command]) => command !== null)).toEqual([
      ['custom_bounty', 'submit'],
      ['hold', 'join'],
    ]);
  });

  test('security: what is read from no platform is entered by a command, has no URL and one rule alone', () => {
    const unread = GIG_TYPES.filter((type) => !readsActs(type));
    expect(unread).toEqual(['hold']);
    for (const type of unread) {
      expect(ACTS_OF[type]).toEqual(['join']);
      expect(GIG_TYPE_TRAITS[type]).toEqual({ url: 'none', command: 'join' });
      expect(onlyRuleOf(type)).toBe('hold');
    }
  });
});
