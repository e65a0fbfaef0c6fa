import type { Transform } from 'node:stream';
import { createGzip, createZstdCompress } from 'node:zlib';
import negotiate from '@fastify/accept-negotiator';

/**
 * A file is compressed anew as one stream: joined as its parts are stored they would be several zstd frames,
 * of which some decoders, Node's among them, read only the first without a word.
 */
const compressors = {
  // Three times as fast as the default, for a tenth more bytes.
  gzip: () => createGzip({ level: 2 }),
  zstd: () => createZstdCompress(),
} satisfies Record<string, () => Transform>;

export type Encoding = keyof typeof compressors;

/** The encoding that a client likes best of those there are; undefined for none. */
export function encodingFor(accepts: string | undefined): Encoding | undefined {
  const best = accepts ? negotiate(accepts, ['zstd', 'gzip', 'identity']) : 'identity';
  return best === 'gzip' || best === 'zstd' ? best : undefined;
}

export const createCompressor = (encoding: Encoding): Transform => compressors[encoding]();
