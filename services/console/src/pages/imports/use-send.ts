import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { jobsQuery } from '../../jobs/jobs.ts';
import { type FileType, fileTypes } from './file-type.ts';
import { sendFile } from './send-file.ts';

export interface ImportChoices {
  file: File;
  type: FileType;
  /** Whether each line is an entry of an export, with its time. */
  isWrapped: boolean;
}

/** Sends a file to an application. `share` of it has gone; `stop` ends that. */
export function useSend(domain: string, onSent: () => void) {
  const queryClient = useQueryClient();
  const [share, setShare] = useState(0);
  const aborter = useRef<AbortController>(undefined);
  useEffect(() => () => aborter.current?.abort(), []);
  const { mutate, error, isPending } = useMutation({
    mutationFn: ({ file, type, isWrapped }: ImportChoices) => {
      aborter.current = new AbortController();
      const { signal } = aborter.current;
      const query = isWrapped && type !== 'csv' ? '?entries=wrapped' : '';
      const path = `/api/applications/${domain}/imports${query}`;
      return sendFile({ path, file, contentType: fileTypes[type], onProgress: setShare, signal });
    },
    onSuccess: async () => {
      onSent();
      await queryClient.invalidateQueries({ queryKey: jobsQuery(domain, 'imports').queryKey });
    },
    onSettled: () => setShare(0),
  });
  const isStopped = aborter.current?.signal.aborted;
  return {
    send: mutate,
    stop: () => aborter.current?.abort(),
    error: isStopped ? null : error,
    isPending,
    share,
  };
}
