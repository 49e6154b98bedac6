import { describe, expect, expectTypeOf, test } from 'vitest';
import type { Gig } from '../../src/domain/gigs/gig.ts';
import { type Commanded, commandGig } from '../../src/services/gigs/command-gig.ts';
import type { gigChanges } from '../../src/store/sql/gigs/gig-changes.ts';
import type { gigEnds } from '../../src/store/sql/gigs/gig-ends.ts';
import type { gigOwners } from '../../src/store/sql/gigs/gig-owners.ts';
import type { tips } from '../../src/store/sql/gigs/tips.ts';
import { read, type Sources } from '../support/architecture.ts';
import { withoutComments } from '../support/imports.ts';

type WritesOf<Noun extends (...args: never[]) => { readonly writes: object }> = keyof ReturnType<Noun>['writes'];

/** What is written about a gig, and whether only who commands it may: a new method has to be listed. */
const GIG_WRITES = {
  stopGig: true,
  settleGig: true,
  cancelGig: true,
  nameRefundAddress: true,
  markRefunded: true,
  changeTerms: true,
  lockGig: true,
  markLive: true,
  recordGigTransaction: true,
  freezeByOperator: true,
  assignGig: true,
  addGigOwner: true,
  removeGigOwner: true,
  insertTips: true,
  voidTip: true,
  storeEarningRules: true,
  openWatch: true,
  openDraw: true,
  divideRound: true,
  awardEarning: true,
  handOut: true,
  planPayment: true,
  // By the client that creates it.
  insertGig: false,
  // By the holder of the lock.
  unlockGig: false,
  // By what is seen on the chain.
  markFundingChecked: false,
  postponeFundingCheck: false,
  freezeGig: false,
} as const satisfies Record<
  | WritesOf<typeof gigChanges>
  | WritesOf<typeof gigEnds>
  | WritesOf<typeof gigOwners>
  | WritesOf<typeof tips>
  // Of other nouns.
  | 'storeEarningRules'
  | 'openWatch'
  | 'openDraw'
  | 'divideRound'
  | 'awardEarning'
  | 'handOut'
  | 'planPayment',
  boolean
>;

/** What a declaration that writes to a gig names: the question, its answer, or that it has made the gig itself. */
const COMMANDS = /\bcommandGig\(|\bCommanded\b|\.insertGig\(/;
const DECLARATIONS = /^(?=(?:export )?(?:async )?(?:function|const|class)\b)/m;
/** The sender writes down what a chain has paid, and what an account claims are its own tips. */
const NEED_NO_GIG = /^src\/(store|services\/payments\/sender|services\/claims)\//;

/** Declarations outside the store that call one of these methods for a gig, without a gig that may be commanded. */
function uncommanded(sources: Sources, methods: readonly string[]): string[] {
  const writes = new RegExp(`\\.(${methods.join('|')})\\(`);
  return [...sources]
    .filter(([path]) => path.startsWith('src/') && !NEED_NO_GIG.test(path))
    .flatMap(([path, source]) =>
      withoutComments(source)
        .split(DECLARATIONS)
        .filter((declaration) => !COMMANDS.test(declaration))
        .flatMap((declaration) => writes.exec(declaration)?.[1] ?? [])
        .map((method) => `${path}: ${method}`),
    );
}

describe('who commands a gig', () => {
  const commanded = Object.entries(GIG_WRITES).flatMap(([method, isCommanded]) => (isCommanded ? [method] : []));

  test('security: nothing is written to a gig without asking whether the actor may', () => {
    expect(uncommanded(read('src'), commanded)).toEqual([]);
  });

  test('security: a write without the question is found, in a declaration beside one that asks, too', () => {
    const found = {
      'src/services/gigs/a.ts': 'async function a(tx) {\n  await commandGig(tx, request);\n  await tx.stopGig(1);\n}',
      'src/services/gigs/b.ts': 'async function b(tx, gig: Commanded) {\n  await tx.stopGig(gig.id);\n}',
      'src/services/gigs/c.ts': 'async function c(tx) {\n  await tx.insertGig(1);\n  await tx.markLive(1);\n}',
      'src/services/gigs/d.ts':
        'export async function d(tx) {\n  await commandGig(tx, request);\n}\n\nasync function e(tx) {\n  await tx.voidTip(1);\n}',
      'src/bot/e.ts': 'const commit = (tx) => tx.settleGig(1);',
      'src/services/payments/sender/f.ts': 'const f = (tx) => tx.markRefunded(1);',
    };
    expect(uncommanded(new Map(Object.entries(found)), commanded)).toEqual([
      'src/services/gigs/d.ts: voidTip',
      'src/bot/e.ts: settleGig',
    ]);
  });

  test('security: only the function that asks makes a gig that may be commanded', () => {
    const makers = [...read('src')].filter(([, source]) => /\bas Commanded\b/.test(source));
    expect(makers.map(([path]) => path)).toEqual(['src/services/gigs/command-gig.ts']);
    expectTypeOf<Gig>().not.toExtend<Commanded>();
    expectTypeOf(commandGig).returns.resolves.toExtend<Commanded>();
  });
});
