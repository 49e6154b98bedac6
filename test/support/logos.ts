import { crc32, deflateSync } from 'node:zlib';
import { cleanLogo, type Logo } from '../../src/domain/settings/logo/logo.ts';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** A chunk of a PNG file. */
export function pngChunk(name: string, data: Uint8Array = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

function size(width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits of gray.
  head.writeUInt8(8, 8);
  return head;
}

/** A gray PNG file, with these chunks before its pixels. */
export function grayPng({ width = 2, height = 1, chunks = [] as Buffer[] } = {}): Buffer {
  const rows = Buffer.concat(
    Array.from({ length: Math.min(height, 64) }, () => Buffer.alloc(width + 1, 0x55).fill(0, 0, 1)),
  );
  const pixels = pngChunk('IDAT', deflateSync(rows));
  return Buffer.concat([SIGNATURE, pngChunk('IHDR', size(width, height)), ...chunks, pixels, pngChunk('IEND')]);
}

/** An SVG file of a red square, with more in it. */
export function svgOf(content = '', attributes = ''): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10"${attributes}>${content}<path d="M0 0h20v10H0z" fill="#c00"/></svg>`;
}

/** The logo of {@link svgOf}. */
export const SVG_LOGO: Logo = cleanLogo(Buffer.from(svgOf()));
