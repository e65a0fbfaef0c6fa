import { ApiFailure, failureOf } from '../../api/failure.ts';
import { session } from '../../api/session.ts';
import type { Job } from '../../jobs/jobs.ts';
import { words } from '../../words/en.ts';

interface Sending {
  /** With its query. */
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

/** Sends a file, and tells how much has gone, which `fetch` does not. Throws ApiFailure. */
export function sendFile({ path, file, contentType, onProgress, signal }: Sending): Promise<Job> {
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
