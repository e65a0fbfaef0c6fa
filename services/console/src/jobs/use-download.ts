import { useEffect, useRef, useState } from 'react';
import { client } from '../api/client.ts';
import { ApiFailure, failureOf } from '../api/failure.ts';
import { words } from '../words/en.ts';
import { createDownload, type Download } from './download.ts';
import type { Job, JobsWithFile } from './jobs.ts';

/** Saves it as browsers do with a download. */
function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Downloads the file of a job with the token, which a link could not send. */
export function useDownload(domain: string, jobs: JobsWithFile, { id, file }: Job) {
  const [state, setState] = useState({ isRunning: false, bytes: 0 });
  const [error, setError] = useState<Error>();
  const download = useRef<Download>(undefined);
  const aborter = useRef<AbortController>(undefined);
  const name = useRef('');
  useEffect(() => () => aborter.current?.abort(), []);

  /** Of the file with this hash; if it is another one by now, the answer is all of that. */
  async function open(sha256: string | undefined, bytes: number, signal: AbortSignal) {
    const headers = bytes > 0 ? { range: `bytes=${bytes}-`, 'if-range': `"${sha256}"` } : {};
    const { data, error, response } = await client.GET(`/api/applications/{domain}/${jobs}/{id}/file`, {
      params: { path: { domain, id } },
      parseAs: 'stream',
      headers,
      signal,
    });
    if (!data) throw failureOf(response, error);
    name.current = /filename="(.+?)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? id;
    const body = data as unknown as ReadableStream<Uint8Array<ArrayBuffer>>;
    return { body, isRest: response.status === 206 };
  }

  async function start(): Promise<void> {
    const sha256 = file?.sha256;
    download.current ??= createDownload((bytes, signal) => open(sha256, bytes, signal));
    aborter.current = new AbortController();
    const { signal } = aborter.current;
    setError(undefined);
    setState(({ bytes }) => ({ isRunning: true, bytes }));
    try {
      const blob = await download.current.read((bytes) => setState({ isRunning: true, bytes }), signal);
      save(blob, name.current);
      download.current = undefined;
      setState({ isRunning: false, bytes: 0 });
    } catch (failure) {
      if (!signal.aborted) setError(failure instanceof ApiFailure ? failure : new Error(words.jobs.broken));
      setState(({ bytes }) => ({ isRunning: false, bytes }));
    }
  }

  return { ...state, error, start, pause: () => aborter.current?.abort() };
}
