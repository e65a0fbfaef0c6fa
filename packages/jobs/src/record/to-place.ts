import type { ArchiveTarget } from '@sluice/store/archives/archive-records.ts';

/** A target as users see it, without the secret. */
export function toPlace(to: ArchiveTarget) {
  if (to.kind === 'folder') return { kind: to.kind };
  const { secret: _, accessKeyId, pathStyle, ...rest } = to;
  return { ...rest, access_key_id: accessKeyId, ...(pathStyle !== undefined && { path_style: pathStyle }) };
}
