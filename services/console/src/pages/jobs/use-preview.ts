import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { unshared } from '../../json/exact.ts';
import { useApplication } from '../application/use-application.ts';
import type { Chosen } from './columns.ts';
import { type FileType, readPreview } from './preview.ts';

interface Options {
  type: FileType;
  isWrapped: boolean;
  chosen: Chosen;
}

/** The first rows of a file, read anew with each choice. */
export function usePreview(file: File | null, { type, isWrapped, chosen }: Options) {
  const { template } = useApplication();
  const schema = template.schema as Record<string, unknown>;
  const key = file && [file.name, file.size, file.lastModified];
  const query = useQuery({
    queryKey: ['preview', key, type, isWrapped, template.version, chosen],
    queryFn: () => readPreview(file as File, { type, isWrapped, schema, chosen }),
    enabled: file !== null,
    placeholderData: keepPreviousData,
    ...unshared,
  });
  return { ...query, schema };
}
