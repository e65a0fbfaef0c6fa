import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { LakeContent } from '@sluice/objects/lake/manifest.ts';
import { sha256Of } from '@sluice/objects/pieces.ts';

/** What a manifest says of a file, for one on this machine. */
export async function contentOf(path: string): Promise<Omit<LakeContent, 'entries'>> {
  const { size: bytes } = await stat(path);
  return { bytes, sha256: await sha256Of(createReadStream(path)) };
}
