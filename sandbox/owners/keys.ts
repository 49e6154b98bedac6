import { type HDAccount, mnemonicToAccount } from 'viem/accounts';
import { MNEMONIC, PEOPLE, type Person } from '../people.ts';

/** The key of a person's wallet, one of the node's own; on Farcaster it is also the account's custody key. */
export function keyOf({ name }: Person): HDAccount {
  // The first of the node's accounts is the service's gas tank.
  return mnemonicToAccount(MNEMONIC, { addressIndex: PEOPLE.findIndex((other) => other.name === name) + 1 });
}
