import { chmodSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { lostCheck } from '../../src/cli/doctor/doctor-lost.ts';
import { desk, useDesk } from './admin.ts';
import { doctor } from './doctor/setup.ts';

useDesk();

test('behavior: each line has one of four marks, and the last one counts them', async () => {
  const env = { GIG_WALLET_MNEMONIC: '', RPC_URL_31337: 'http://127.0.0.1:1', RPC_URL_BASE: 'http://127.0.0.1:1' };
  const { code, out, err } = await desk.admin(['doctor'], { env });
  expect([code, err]).toEqual([1, '1 of 27 checks failed.\n']);
  const lines = out.trimEnd().split('\n');
  expect(lines).toContain('✓ configuration: All variables are valid');
  expect(lines).toContain('! settings: RPC_URL_BASE is not a setting; the endpoint of base is RPC_URL_8453');
  expect(lines).toContain('! payer anvil: Unknown, because the chain does not answer');
  expect(lines).toContain('– alerts: Off: ALERT_WEBHOOK_URL is not set');
  expect(lines.filter((line) => line.startsWith('✗'))).toEqual([
    '✗ chain anvil: The endpoint of Anvil gives no valid answer: it could not be reached for eth_chainId',
  ]);
  expect(lines.at(-1)).toBe('27 checks: ✓ 13 passed, ! 2 to look at, – 11 off, ✗ 1 failed');
});

test('behavior: payments for tips that are lost are to be looked at, and a gig that is lost fails', () => {
  const paid = { text: 'Gig 4 has made 1 payment for tips that the database has lost', remedy: 'Do not award again.' };
  const unknown = { text: 'Gig 9 is not in the database', remedy: 'Run gig rebuild 9.' };
  expect(lostCheck({ paid: [paid], short: [], unknown: [] })).toEqual({
    name: 'lost gigs',
    ok: true,
    mark: 'warning',
    detail: paid.text,
    remedy: paid.remedy,
  });
  expect(lostCheck({ paid: [paid], short: [], unknown: [unknown] })).toMatchObject({ ok: false });
  expect(lostCheck({ paid: [], short: [], unknown: [] })).toMatchObject({ ok: true, remedy: '' });
});

test('security: a folder of the database in which other accounts can replace files is to be looked at', async () => {
  chmodSync(dirname(desk.path), 0o777);
  const { code, report } = await doctor({ GIG_WALLET_MNEMONIC: '' });
  expect([code, report.checks.filter(({ name }) => name === 'files')]).toEqual([
    0,
    [
      {
        name: 'files',
        ok: true,
        mark: 'warning',
        detail: `Other accounts of this machine can reach ${dirname(desk.path)}: its mode is 777`,
        remedy: `As the owner of ${dirname(desk.path)} run chmod 700 on it.`,
      },
    ],
  ]);
});

test('behavior: draws no floor of tip numbers, however often it is run: tips of one word are paid for less', async () => {
  const before = await desk.store.ledgerState();
  await desk.admin(['doctor'], { env: { GIG_WALLET_MNEMONIC: '' } });
  expect(await desk.store.ledgerState()).toEqual(before);
  await desk.admin(['gig', 'list']);
  expect((await desk.store.ledgerState()).tipFloor).toBeGreaterThan(before.tipFloor);
});
