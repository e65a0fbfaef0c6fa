import { constants } from 'node:buffer';
import { memberText } from '@sluice/json/member-text.ts';
import { parseJson } from '@sluice/json/parse-json.ts';
import { jsonArraySplitter } from '@sluice/json/split.ts';
import { CliError } from '../cli-error.ts';
import { harmless } from '../terminal.ts';

/** What the server answered to a request. */
export interface Answer<T> {
  status: number;
  headers: Headers;
  data: T;
  /** The JSON text of `data`, in which numbers keep their digits. */
  text: string;
}

/** The server refused a request, or failed. */
export class ApiFailure extends CliError {
  override name = 'ApiFailure';
  readonly status: number;
  /** The name of the error, such as `ResourceNotFoundError`. */
  readonly kind: string;
  readonly details: Detail[];
  readonly retryAfter: number | undefined;
  /** The domain in the path of the request. */
  readonly application: string | undefined;

  constructor({ status, headers, url }: Pick<Response, 'status' | 'headers' | 'url'>, text: string) {
    const { name = '', message, details = [] } = errorIn(text);
    super(
      (message && harmless(message)) ?? `the server answered ${status} without a message`,
      status < 500 ? 2 : 4,
    );
    this.status = status;
    this.kind = name;
    this.details = details;
    this.application = /\/api\/applications\/([^/?]+)/.exec(url)?.[1];
    const seconds = headers.get('retry-after');
    this.retryAfter = seconds === null ? undefined : Number(seconds);
  }
}

export const noApi = (url: string) => new CliError(`${url} is no API of Sluice: check --url`);

/** A fault in a payload or in SQL. `line` is that of the batch or of the SQL. `details`: the faults of a line of a batch. */
export interface Detail {
  path?: string;
  message: string;
  line?: number;
  column?: number;
  name?: string;
  details?: Detail[];
}

interface Failure {
  name?: string;
  message?: string;
  details?: Detail[];
}

function errorIn(text: string): Failure {
  try {
    return (parseJson(text) as { error?: Failure }).error ?? {};
  } catch {
    // A proxy answers with a page.
    return {};
  }
}

/** The body of an answer. Throws CliError if it is longer than any text, so perhaps without an end. */
export async function readText(response: Response, mostBytes = constants.MAX_STRING_LENGTH): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw noApi(response.url);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

export async function readAnswer<T>(response: Response): Promise<Answer<T>> {
  const text = await readText(response);
  if (!response.ok) throw new ApiFailure(response, text);
  const { status, headers } = response;
  try {
    return {
      status,
      headers,
      data: (parseJson(text) as { data: T }).data,
      text: memberText(text, 'data') ?? '',
    };
  } catch {
    throw noApi(response.url);
  }
}

/** The texts of the elements of an array. */
export function elementTexts(array: string): string[] {
  const elements: string[] = [];
  let bytes: Buffer[] = [];
  const splitter = jsonArraySplitter({
    bytes: (piece, from, to) => void bytes.push(Buffer.from(piece.subarray(from, to))),
    end() {
      elements.push(Buffer.concat(bytes).toString('utf8').trim());
      bytes = [];
    },
    drop() {
      bytes = [];
    },
  });
  splitter.push(Buffer.from(array));
  splitter.end();
  return elements;
}
