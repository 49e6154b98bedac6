import { handlePattern, type MarkedHandle, type TextPart, withoutParts } from '../../domain/mentions/command-text.ts';

const HANDLE = /^@[^\s@]+$/;

type Range = TextPart;

/** The part of a cast that marks handles and links in its text. */
export interface MarkedText {
  readonly text: string;
  readonly mentioned_profiles?:
    | readonly ({ readonly fid: number; readonly username?: string | undefined } | undefined)[]
    | undefined;
  readonly mentioned_profiles_ranges?: readonly (Range | undefined)[] | undefined;
  readonly embeds?: readonly ({ readonly url?: string | undefined } | undefined)[] | undefined;
}

/** The units of a range may be UTF-16, code points or UTF-8 bytes. */
function* readingsOf(text: string, { start, end }: Range): Generator<Range> {
  yield { start, end };
  const points = [...text];
  const ofPoints = (count: number) => points.slice(0, count).join('').length;
  yield { start: ofPoints(start), end: ofPoints(end) };
  const bytes = Buffer.from(text);
  const ofBytes = (count: number) => bytes.subarray(0, count).toString().length;
  yield { start: ofBytes(start), end: ofBytes(end) };
}

/** Neynar's documents name no unit for ranges, so the one counts in which there is a handle. */
function locate(text: string, range: Range, username: string | undefined): Range | null {
  const isHandle = ({ start, end }: Range) => HANDLE.test(text.slice(start, end));
  const found = [...readingsOf(text, range)].filter(isHandle);
  const isNamed = ({ start, end }: Range) => text.slice(start, end).toLowerCase() === `@${username?.toLowerCase()}`;
  const [first, ...others] = found;
  if (first === undefined) return null;
  return others.every(({ start }) => start === first.start) ? first : (found.find(isNamed) ?? null);
}

/** The handles in a cast's text. Each range belongs to the profile at the same place of its list; without ranges, spelling decides. */
export function handlesIn({
  text,
  mentioned_profiles: profiles = [],
  mentioned_profiles_ranges: ranges,
}: MarkedText): MarkedHandle[] {
  const isPaired = ranges?.length === profiles.length;
  return profiles.flatMap((profile, index) => {
    if (profile === undefined) return [];
    const { fid, username } = profile;
    const range = isPaired ? ranges[index] : undefined;
    const marked = range === undefined ? null : locate(text, range, username);
    if (marked !== null) return [{ ...marked, accountId: String(fid) }];
    if (username === undefined) return [];
    const spelled = [...text.matchAll(handlePattern(username))];
    return spelled.map(({ index: start, 0: handle }) => ({
      start,
      end: start + handle.length,
      accountId: String(fid),
    }));
  });
}

/** Only links that the text has, too. */
function linksIn({ text, embeds = [] }: MarkedText): TextPart[] {
  const urls = embeds.flatMap((embed) => embed?.url ?? []).filter((url) => /^https?:\/\//i.test(url));
  return [...text.matchAll(/https?:\/\/\S+/gi)].flatMap(({ index: start, 0: link }) =>
    urls.includes(link) ? [{ start, end: start + link.length }] : [],
  );
}

/** A cast's text without the handles and links that are marked in it. */
export function plainTextOf(cast: MarkedText): string {
  return withoutParts(cast.text, [...handlesIn(cast), ...linksIn(cast)]);
}
