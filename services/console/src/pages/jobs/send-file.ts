import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiFailure, failureOf } from '../../api/failure.ts';
import { session } from '../../api/session.ts';
import type { Job } from '../../jobs/jobs.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { type FileType, fileTypes } from './preview.ts';

export interface ImportChoices {
  file: File;
  type: FileType;
  /** Whether each line is an entry of an export, with its time. */
  isWrapped: boolean;
}

/** Sends a file and reports the share that was sent, which `fetch` cannot. Throws ApiFailure. */
function sendFile(
  domain: string,
  { file, type, isWrapped }: ImportChoices,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<Job> {
  const query = isWrapped && type !== 'csv' ? '?entries=wrapped' : '';
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `/api/applications/${domain}/imports${query}`);
    request.responseType = 'json';
    request.setRequestHeader('authorization', `Bearer ${session.token()}`);
    request.setRequestHeader('content-type', fileTypes[type]);
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
    request.onload = () => {
      const { status, response } = request;
      if (status === 202 && response?.data) return resolve(response.data);
      const id = request.getResponseHeader('x-request-id');
      reject(failureOf(new Response(null, { status, headers: id ? { 'x-request-id': id } : {} }), response));
    };
    request.onerror = () => reject(new ApiFailure(words.imports.broken));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}

/** Sends a file to the application. `share` of the file was sent; `stop` ends the sending. */
export function useSend(onSent: () => void) {
  const { domain } = useApplication();
  const [share, setShare] = useState(0);
  const aborter = useRef<AbortController>(undefined);
  useEffect(() => () => aborter.current?.abort(), []);
  const { mutate, error, isPending } = useMutation({
    mutationFn: (choices: ImportChoices) => {
      aborter.current = new AbortController();
      return sendFile(domain, choices, setShare, aborter.current.signal);
    },
    onSuccess: onSent,
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
