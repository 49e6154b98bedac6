import { expect, test } from 'vitest';
import { seedMention } from '../../support/store.ts';
import { logIn } from '../operator.ts';
import { forThisTest, NOW, openService } from '../service.ts';

test('behavior: a mention whose reply waits is nowhere called answered', async () => {
  const service = await forThisTest(openService());
  const operator = await logIn(service);
  const said = async (path: string) => (await operator.read(path)).replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  await seedMention(service.store, { postId: '0xa1' }, NOW);
  await service.store.transaction(async (tx) => {
    await tx.leaseMention({ lease: 'w', now: NOW, until: NOW + 60_000, platforms: ['farcaster'] });
    await tx.markAnswered(1, 'w');
    await tx.queueReply({ mentionId: 1, kind: 'answer', text: 'You have no tips.' }, NOW);
  });
  const overview = await said('/admin');
  expect(overview).toContain('Mentions received 0 handled 1 ignored 0 failed 0');
  expect(overview).toContain('Replies due 1 held 0 sending 0 unknown 0 sent 0 failed 0');
  for (const path of ['', '/mentions', '/mentions/1', '/mentions?state=answered']) {
    expect(await said(`/admin${path}`)).not.toMatch(/mention 1 answered|answered [0-9]/i);
  }
});
