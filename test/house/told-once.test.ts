import { describe, expect, test } from 'vitest';
import { read } from '../support/architecture.ts';
import { withoutComments } from '../support/imports.ts';

describe('what stands in one place', () => {
  test('behavior: nothing asks for the type of a rule by which gigs are earned', () => {
    const asking = [...read('src')].filter(([, source]) =>
      /\b(rule\??\.type|ruleType) [!=]==|switch \(rule\.type\)/.test(source),
    );
    expect(asking.map(([path]) => path)).toEqual([]);
  });

  test('behavior: few files ask how a rule pays: its way has two halves that say it', () => {
    const asks = /\b(payout|payoutOf\(.*\))\??\.by\b|\bby\b[^=;]*\} = payout|'(places|maxAmount|weightOf)' in /;
    expect([...read('src')].filter(([, source]) => asks.test(source)).length).toBeLessThanOrEqual(5);
  });

  test('behavior: only the rows of facts tell one platform from another', () => {
    const naming = [...read('src')].filter(
      ([path, source]) =>
        path !== 'src/domain/platforms/platforms.ts' &&
        /'twitter'|[!=]==? '(farcaster|x)'|case '(farcaster|x)'/.test(source),
    );
    expect(naming.map(([path]) => path)).toEqual([]);
  });

  test('behavior: sentences about all platforms name them from their rows', () => {
    const both = /\bFarcaster\b[^.'`]*\bX\b|\bX\b[^.'`]*\bFarcaster\b/;
    const naming = [...read('src')].filter(([, source]) => both.test(withoutComments(source).replaceAll('\n', "'")));
    expect(naming.map(([path]) => path).toSorted()).toEqual(['src/cli/gigs/gig.ts', 'src/http/my/sign-in/page.ts']);
  });

  test('behavior: only the list of platforms, and what reads spam labels, know a platform’s folder', () => {
    const knowing = [...read('src')].filter(
      ([path, source]) =>
        !/^src\/platforms\/\w+\//.test(path) && /'\.[^']*\/(farcaster|x|platforms\/\w+)\/[\w/-]+\.ts'/.test(source),
    );
    expect(knowing.map(([path]) => path).toSorted()).toEqual(['src/platforms/index.ts', 'src/platforms/registry.ts']);
  });
});
