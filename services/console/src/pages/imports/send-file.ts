import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiFailure, failureOf } from '../../api/failure.ts';
import { session } from '../../api/session.ts';
import type { Job } from '../../jobs/jobs.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { type FileType, fileTypes } from './file-type.ts';

interface Sending {
  path: string;
  file: File;
  contentType: string;
  /** From 0 to 1. */
  onProgress: (share: number) => void;
  signal: AbortSignal;
}

function readBody(text: string): { data?: Job } | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sends a file and reports the share that was sent, which `fetch` cannot. Throws ApiFailure. */
function sendFile({ path, file, contentType, onProgress, signal }: Sending): Promise<Job> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', path);
    request.setRequestHeader('authorization', `Bearer ${session.token()}`);
    request.setRequestHeader('content-type', contentType);
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
    request.onload = () => {
      const { status, responseText } = request;
      const body = readBody(responseText);
      if (status === 202 && body?.data) return resolve(body.data);
      const id = request.getResponseHeader('x-request-id');
      reject(failureOf(new Response(null, { status, headers: id ? { 'x-request-id': id } : {} }), body));
    };
    request.onerror = () => reject(new ApiFailure(words.imports.broken));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}

export interface ImportChoices {
  file: File;
  type: FileType;
  /** Whether each line is an entry of an export, with its time. */
  isWrapped: boolean;
}

/** Sends a file to the application. `share` of the file was sent; `stop` ends the sending. */
export function useSend(onSent: () => void) {
  const { domain } = useApplication();
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
