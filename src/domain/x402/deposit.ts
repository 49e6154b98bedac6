import type { Address } from '../gigs/token.ts';

/**
 * kept → sent → used → settled. `kept`: the authorization is on disk and nobody has it. `sent`: the chain may have it.
 * `used`: a block has it. `settled`: a settled block has it. `unused`: no block has it, and none can any more.
 */
export const DEPOSIT_STATES = ['kept', 'sent', 'used', 'settled', 'unused'] as const;
export type DepositState = (typeof DEPOSIT_STATES)[number];

/** Who sends an authorization to the chain. It is decided when it is kept, and stays. */
export const SETTLERS = ['tank', 'facilitator'] as const;
export type Settler = (typeof SETTLERS)[number];

/** Whether a payer signs by a key, or its contract says what it has signed: such a wallet counts on its own chain alone. */
export const SIGNERS = ['key', 'contract'] as const;
export type Signer = (typeof SIGNERS)[number];

/** A transfer that its payer has signed by EIP-3009. The token takes it once, from any sender. */
export interface Authorization {
  readonly payer: Address;
  /** Base units. */
  readonly amount: bigint;
  /** Seconds of the chain's time; between them the token takes it. */
  readonly validAfter: number;
  readonly validBefore: number;
  /** The payer's own name for it, 32 bytes. */
  readonly nonce: `0x${string}`;
  readonly signature: `0x${string}`;
}

/** An authorization that was taken to pay for a gig. At most one of a gig is not `unused`. */
export interface Deposit extends Authorization {
  readonly id: number;
  readonly gigId: number;
  readonly chainId: number;
  readonly state: DepositState;
  readonly settler: Settler;
  readonly signer: Signer;
  /** The gas tank's transaction that holds it, or held it last; null before the first, and of a facilitator's. */
  readonly transactionId: number | null;
  /** When a facilitator was last asked, epoch milliseconds; null before. */
  readonly askedAt: number | null;
  /** The newest block when it was kept. */
  readonly keptBlock: bigint;
  /** The transaction that used it, and its block; null while no block has it. */
  readonly hash: `0x${string}` | null;
  readonly blockNumber: bigint | null;
  /** What it waits for, or why it is unused; null when there is nothing to say. */
  readonly reason: string | null;
  /** The gas tank does not send it before then, epoch milliseconds. */
  readonly dueAt: number;
  /** The gas limit of its transactions, added up. */
  readonly gasUsed: bigint;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type NewDeposit = Authorization & Pick<Deposit, 'gigId' | 'chainId' | 'settler' | 'signer' | 'keptBlock'>;

/** The transfer as its token takes it. */
export interface SignedTransfer extends Authorization {
  readonly token: Address;
  /** The gig's wallet. */
  readonly to: Address;
  /** Absent before it is known. */
  readonly signer?: Signer;
}

/** What a token signs by: EIP-712's name and version, as the chain has them. */
export interface SigningDomain {
  readonly name: string;
  readonly version: string;
}

/** The most gas that a deposit may take; a token that needs more takes none. */
export const MOST_DEPOSIT_GAS = 300_000n;

/** How many gigs may wait for their payment, and how long each does. */
export const MOST_UNPAID = 100;
export const UNPAID_MS = 10 * 60_000;
/** How many gigs a client may create in a minute. */
export const GIGS_A_MINUTE = 10;

/** The client of a gig until it is paid: it is nobody's, so that no key and no session reaches it. */
export const UNPAID_CLIENT = 'owner:x402';
