import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import type { Store } from '@sluice/jobs/connect.ts';
import { JobFailed } from '@sluice/jobs/kind.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
/** Level 1 stores a tenth of the bytes, and the work is not on the main thread. */
const params = { [constants.ZSTD_c_compressionLevel]: 1 };
/** A large size keeps the number of output buffers small. */
const chunkSize = 1024 ** 2;

/** Bytes as `parts` stores them. */
export const pack = (bytes: Uint8Array): Promise<Buffer> => compress(bytes, { params, chunkSize });

/** The bytes of a stored part. Throws JobFailed if it is gone. */
export async function unpackPart({ parts }: Pick<Store, 'parts'>, id: string): Promise<Buffer> {
  const data = await parts.get(id);
  if (!data) throw new JobFailed(`part ${id} of the file is missing`, { isDefect: true });
  return decompress(data);
}
