import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startSandbox } from '../support/sandbox.ts';

/** What the sandbox does not have: a post that claims, a raffle, a bounty with submissions. */
const REFUSED: Readonly<Record<string, string>> = {
  claimRewards: '404',
  // It is off there.
  createPaidGig: '503',
  findDraw: '400',
  listEntrants: '400',
  decideSubmissions: '400',
};

interface Operation {
  readonly operationId: string;
  readonly 'x-codeSamples': readonly { readonly source: string }[];
}

/** Runs a command as somebody does who has copied it; the status of the answer. */
async function runCopied(command: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', `${command} -s -o /dev/null -w '%{http_code}'`], {
    env: { PATH: process.env['PATH'] },
  });
  return stdout;
}

test('behavior: the command of every operation runs against the sandbox as it stands', async () => {
  const sandbox = await startSandbox();
  try {
    const answer = await fetch(`${sandbox.service}/api/openapi.json`);
    const { paths } = (await answer.json()) as { paths: Record<string, Record<string, Operation>> };
    const found: Record<string, string> = {};
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    const isLast = ({ operationId }: Operation) => operationId === 'deleteWebhook';
    for (const operation of [...operations.filter((each) => !isLast(each)), ...operations.filter(isLast)]) {
      found[operation.operationId] = await runCopied(operation['x-codeSamples'][0]?.source ?? '');
    }
    const refused = Object.fromEntries(Object.entries(found).filter(([, status]) => !status.startsWith('2')));
    expect(refused).toEqual(REFUSED);
    expect(Object.keys(found).length).toBeGreaterThan(20);
  } finally {
    await sandbox.stop();
  }
});
