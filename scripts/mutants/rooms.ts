/** Where a fault costs money, gives it to another account, or loses or repeats a message. */
export interface MutatedRoom {
  readonly files: readonly string[];
  readonly decides: 'money' | 'identity' | 'delivery';
  readonly why: string;
}

/** Written by a program, and compared with what it writes. */
export const GENERATED: readonly string[] = ['src/chain/payer/contract/artifact.ts'];

/** The files that `npm run mutants` puts faults into. Patterns are those of `node:fs` globs. */
export const MUTATED_ROOMS: readonly MutatedRoom[] = [
  {
    files: ['src/domain/amount.ts'],
    decides: 'money',
    why: 'reads and writes every amount',
  },
  {
    files: ['src/domain/payments/**/*.ts'],
    decides: 'money',
    why: 'the steps, batches, marks and limits of payments',
  },
  {
    files: ['src/services/payments/**/*.ts'],
    decides: 'money',
    why: 'puts payments into transactions, finds paid ones and pays none twice',
  },
  {
    files: ['src/chain/payer/**/*.ts'],
    decides: 'money',
    why: 'signs, simulates and reads the transactions of the contract',
  },
  {
    files: ['src/services/ends/**/*.ts'],
    decides: 'money',
    why: 'plans refunds, returns and the end of a gig',
  },
  {
    files: ['src/services/gigs/{steps,tips}/**/*.ts', 'src/services/gigs/{create-gig,start-gig,start-funded}.ts'],
    decides: 'money',
    why: 'creates and starts gigs, and awards and voids their tips',
  },
  {
    files: ['src/services/earning/{award,ways}/**/*.ts'],
    decides: 'money',
    why: 'divides rounds, draws raffles and awards earnings',
  },
  {
    files: ['src/domain/account.ts', 'src/domain/claims/**/*.ts', 'src/services/claims/**/*.ts'],
    decides: 'identity',
    why: 'says which account claims, and to which address its tips are paid',
  },
  {
    files: ['src/domain/owners/**/*.ts', 'src/services/owners/{allowed-owners,links,sessions,sign-in}.ts'],
    decides: 'identity',
    why: 'says who an owner is, and which accounts are linked to a wallet',
  },
  {
    files: ['src/sign-in/**/*.ts'],
    decides: 'identity',
    why: 'verifies that a visitor controls a wallet or an account',
  },
  {
    files: ['src/platforms/{signature,payload}.ts', 'src/platforms/{farcaster,x}/{id,look-up,payload,webhook}.ts'],
    decides: 'identity',
    why: 'verifies webhooks, and reads who wrote a post',
  },
  {
    files: ['src/services/mentions/**/*.ts'],
    decides: 'delivery',
    why: 'answers each mention once',
  },
  {
    files: ['src/services/events/**/*.ts'],
    decides: 'delivery',
    why: 'delivers each event to the clients that wait for it',
  },
];
