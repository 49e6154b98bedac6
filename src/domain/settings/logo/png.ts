import { crc32 } from 'node:zlib';

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
/** What a still picture needs (https://www.w3.org/TR/png-3/#11Chunks); others hold texts, places, profiles and animations. */
const KEPT: ReadonlySet<string> = new Set(['IHDR', 'PLTE', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'IDAT', 'IEND']);
/** A few bytes can say that they are a picture of any size, for which a browser takes memory. */
const MOST_PIXELS = 2_048;
/** Length, name and checksum of a chunk. */
const FRAME = 12;

/** Whether a file says that it is a PNG. */
export function isPng(bytes: Uint8Array): boolean {
  return SIGNATURE.every((byte, index) => bytes[index] === byte);
}

interface Chunk {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** All chunks up to `IEND`; what follows it belongs to no picture. */
function chunksOf(file: Buffer): Chunk[] | null {
  const chunks: Chunk[] = [];
  let at = SIGNATURE.length;
  while (at + FRAME <= file.length) {
    const end = at + FRAME + file.readUInt32BE(at);
    if (end > file.length) return null;
    const name = file.toString('latin1', at + 4, at + 8);
    if (crc32(file.subarray(at + 4, end - 4)) !== file.readUInt32BE(end - 4)) return null;
    chunks.push({ name, bytes: file.subarray(at, end) });
    if (name === 'IEND') return chunks;
    at = end;
  }
  return null;
}

/** The picture of a PNG file alone; or what is wrong with it. */
export function cleanPng(content: Uint8Array): { bytes: Uint8Array<ArrayBuffer>; ratio: number } | string {
  const file = Buffer.from(content);
  const chunks = chunksOf(file);
  const names = chunks?.map(({ name }) => name) ?? [];
  const [head] = chunks ?? [];
  // Its first letter is a capital where a reader must know the chunk.
  const isKnown = names.every((name) => KEPT.has(name) || /^[a-z]/.test(name));
  if (
    chunks === null ||
    head?.name !== 'IHDR' ||
    head.bytes.length !== FRAME + 13 ||
    !isKnown ||
    !names.includes('IDAT')
  )
    return 'must be a whole PNG file';
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  if (width === 0 || height === 0 || Math.max(width, height) > MOST_PIXELS)
    return `must be at most ${MOST_PIXELS} pixels wide and high`;
  const kept = chunks.filter(({ name }) => KEPT.has(name)).map(({ bytes }) => bytes);
  return { bytes: new Uint8Array(Buffer.concat([SIGNATURE, ...kept])), ratio: width / height };
}
