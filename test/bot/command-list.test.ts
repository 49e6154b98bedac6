import { expect, test } from 'vitest';
import { COMMANDS, commandsFor, guideOf, parseCommand } from '../../src/bot/commands/index.ts';

const BOT = { username: 'gigclaim' };

/** The names of the commands of which this is so. */
function namesOf(isSo: (command: (typeof COMMANDS)[number]) => boolean | undefined): string[] {
  return COMMANDS.filter((command) => isSo(command)).map(({ name }) => name);
}

test('security: nothing may stand beside the words of a command that moves money or ends a gig', () => {
  expect(namesOf(({ isStrict }) => isStrict)).toEqual(['claim', 'claim_to_name', 'start', 'end', 'link']);
});

test('behavior: commands that change something run beyond the limits of replies; no other does', () => {
  expect(namesOf(({ changes }) => changes)).toEqual([
    ...['claim', 'claim_to_name', 'start', 'end', 'notify', 'unnotify', 'submit', 'join', 'link', 'unlink'],
    ...['notifications_off', 'notifications_on', 'stop', 'unstop'],
  ]);
});

test('behavior: an account without replies is heard when it turns them on, and when it turns them off again', () => {
  expect(
    COMMANDS.flatMap(({ name, whenOptedOut }) => (whenOptedOut === undefined ? [] : { name, whenOptedOut })),
  ).toEqual([
    { name: 'unlink', whenOptedOut: 'silent' },
    { name: 'stop', whenOptedOut: 'silent' },
    { name: 'unstop', whenOptedOut: 'answered' },
  ]);
});

test('behavior: what a command has done to a gig counts as told; asking for notices moves none', () => {
  expect(namesOf(({ notices }) => notices === 'told')).toEqual(['start', 'end']);
  expect(namesOf(({ notices }) => notices === 'left')).toEqual(['notify', 'unnotify']);
});

test('behavior: refusals that any account can cause are worth less than other replies', () => {
  const ranked = ['claim', 'claim_to_name', 'start', 'end', 'notify', 'unnotify'];
  expect(namesOf(({ ranksRefusals }) => ranksRefusals)).toEqual(ranked);
});

test.each([
  ['', 'claims'],
  ['claims', 'claims'],
  ['claim my rewards', 'claim'],
  ['claim my rewards 0x1', 'claim'],
  ['gig 42', 'status'],
  ['status gig #42', 'status'],
  ['why 42', 'why'],
  ['start 42', 'start'],
  ['stop gig 42', 'end'],
  ['settle 42', 'end'],
  ['cancel 42', 'end'],
  ['notify 42', 'notify'],
  ['unnotify 42', 'unnotify'],
  ['link 0x1', 'link'],
  ['link', 'link'],
  ['unlink', 'unlink'],
  ['notify off', 'notifications_off'],
  ['notify on', 'notifications_on'],
  ['stop', 'stop'],
  ['unstop', 'unstop'],
  ['help', 'help'],
])('security: “%s” is read by one grammar alone', (words, name) => {
  expect(COMMANDS.flatMap((command) => command.read?.(words)?.parsed.name ?? [])).toEqual([name]);
});

test('behavior: a wallet is linked only where people sign in with wallets, and notifications turned off where there are any', () => {
  expect(namesOf(({ needs }) => needs === 'wallet')).toEqual(['link', 'unlink']);
  expect(namesOf(({ needs }) => needs === 'notifications')).toEqual(['notifications_off', 'notifications_on']);
  const named = (offered: Parameters<typeof commandsFor>[0]) => commandsFor(offered).map(({ name }) => name);
  expect(named(['farcaster'])).toEqual(named([]));
  expect(named(['wallet', 'notifications'])).toEqual(COMMANDS.map(({ name }) => name));
  expect(COMMANDS.length - named([]).length).toBe(4);
});

test('behavior: the page of commands lists claims to names where names are on', () => {
  const listed = (offered: Parameters<typeof commandsFor>[0]) =>
    guideOf(commandsFor(offered), offered).some(({ say }) => say === 'claim my rewards alice.eth');
  expect([listed(['names']), listed([]), listed(['wallet'])]).toEqual([true, false, false]);
});

test('security: no name stands for two commands', () => {
  expect(new Set(COMMANDS.map(({ name }) => name)).size).toBe(COMMANDS.length);
});

test('behavior: the page of commands names every command that the bot reads, as the bot reads it', () => {
  const readers = (say: string) => COMMANDS.filter((command) => command.read?.(say) != null).map(({ name }) => name);
  for (const { name, guide = [] } of COMMANDS) {
    for (const { say } of guide) {
      const said = say.replace('0x…', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8');
      // These two are read as they were posted.
      if (name === 'claim_to_name') expect([parseCommand(say, BOT).name, readers(said)]).toEqual([name, []]);
      else if (name !== 'submit') expect([say, readers(said)]).toEqual([say, [name]]);
    }
  }
  expect(namesOf(({ guide }) => guide === undefined)).toEqual(['refused', 'unknown']);
});
