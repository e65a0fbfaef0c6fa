import { createHmac } from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const stepMs = 30_000;

function bytesOf(base32: string): Buffer {
  const bits = [...base32].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** The code that an authenticator app shows now, or `further` codes from now. Written from RFC 6238. */
export function codeOf(otpauthUrl: string, further = 0): string {
  const secret = new URL(otpauthUrl).searchParams.get('secret') ?? '';
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / stepMs) + further));
  const mac = createHmac('sha1', bytesOf(secret)).update(counter).digest();
  const offset = (mac.at(-1) as number) & 0xf;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** A code that an app shows neither now nor soon. */
export function wrongCodeOf(otpauthUrl: string): string {
  const good = [-2, -1, 0, 1, 2, 3].map((further) => codeOf(otpauthUrl, further));
  return ['000000', '111111', '222222', '333333', '444444', '555555', '666666'].find(
    (code) => !good.includes(code),
  ) as string;
}
