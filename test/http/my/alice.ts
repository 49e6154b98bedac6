import { beforeEach, expect, inject } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { type GigSeed, seedGig } from '../../support/store.ts';
import { NOW, openService, service, useService } from '../service.ts';
import { type Browser, browserOf, walletOn } from './browser.ts';

export const ALICE = { platform: 'farcaster', platformUserId: '1003' };
export const MINUTE = 60_000;
/** Signed in an hour ago. */
export let alice: Browser;

/** Opens a service for each test, with {@link alice} signed in. */
export function useAlice(): void {
  useService(() => openService({ signIn: walletOn(inject('anvilUrl')) }));
  beforeEach(async () => {
    alice = await browserOf(service, 'farcaster:1003', { at: NOW - 60 * MINUTE });
  });
}

/** A gig of a client that lists Alice. */
export function listed(seed: GigSeed = {}): Promise<Gig> {
  return seedGig(service.store, { client: 'acme', owners: [ALICE], startTime: NOW + MINUTE, ...seed });
}

/** What a page says, as text. */
export async function textOf(browser: Browser, path: string): Promise<string> {
  const { status, text } = await browser.get(path);
  expect([path, status]).toEqual([path, 200]);
  return text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
}
