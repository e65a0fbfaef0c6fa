// BEGIN SCHEMA
/** What JSON can write. With `any`, TypeScript takes interfaces too. */
// biome-ignore lint/suspicious/noExplicitAny: it takes values of interfaces
export type Entry = Record<string, any>;

const DOMAIN: string | undefined = undefined;
const SCHEMA_VERSION: number | undefined = undefined;
// END SCHEMA

/** An entry that was not stored, and why. */
export interface Refusal {
  /** As it was sent. An integer that a number cannot hold is a bigint. */
  entry: Entry;
  /** Its line in the batch, from 1. */
  line: number;
  name: string;
  message: string;
  /** What is wrong, and where: `path` is a JSON Pointer. */
  details: { path: string; keyword: string; message: string }[];
}

/** `close` left entries behind, or the server takes nothing from this uploader: then `send` and `flush` fail too. */
export class NotStored extends Error {
  /** How many entries are not stored. */
  readonly entries: number;
  /** Of the last answer, if there was one, and the name of its error. */
  readonly status: number | undefined;
  readonly reason: string | undefined;

  constructor(entries: number, where: string, { status, name, message }: Trouble) {
    const why = status === undefined ? message : `${status} ${name}: ${message}`;
    super(`${entries} entries are not stored${where}: ${why}`);
    this.name = 'NotStored';
    this.entries = entries;
    this.status = status;
    this.reason = name;
  }
}

/** The server has another version of the schema than this file. */
export interface Stale {
  version: number;
  /** `stricter`: the server may refuse entries that this file allows. */
  change: 'stricter' | 'looser';
}

/** Entries of this process. */
export interface Counts {
  stored: number;
  refused: number;
  /** Without an answer, also those that the spool had. */
  waiting: number;
}

export interface UploaderOptions {
  /** Where Sluice is, such as `https://sluice.example`. */
  baseUrl: string;
  /** The application, such as `weather-station-k3v9q2`. */
  domain?: string | undefined;
  /** An ingest key, if the application requires one. */
  key?: string | undefined;
  /** A folder, for one process at a time: what `send` returned for survives a crash. Not in browsers. */
  spool?: string | undefined;
  /** Called once for each entry that is refused. Without it, a warning is printed. What it throws is printed. */
  onRefused?: (refusal: Refusal) => void;
  /** Called once if this file is out of date. Without it, a warning is printed. */
  onStale?: (stale: Stale) => void;
  /** A batch is sent when it has this many lines (5,000) or bytes (4 MiB; 60 KiB in pages), or this age (1 s). */
  batchLines?: number;
  batchBytes?: number;
  batchSeconds?: number;
  /** `send` waits while this many bytes (64 MiB) have no answer. The spool counts. */
  heldBytes?: number;
  /** How long `close` waits for answers (30 s). */
  closeSeconds?: number;
  /** Whether bodies of 1 KiB and more are compressed (true). */
  gzip?: boolean;
  /** Sends in place of the global `fetch`. */
  fetch?: typeof globalThis.fetch;
}

/** Sends entries in batches, in order. Each is stored once, whatever fails on the way. Node.js runs on until all are sent. */
export class Uploader {
  readonly #options;
  readonly #domain: string;
  readonly #url: string;
  readonly #headers: Record<string, string>;
  #spool: Spool | undefined;
  /** Set until the spool is open. */
  #opening: Promise<void> | undefined;
  /** The batch that takes lines, and when it no longer does. */
  #filling: Batch | undefined;
  #sealTimer: ReturnType<typeof setTimeout> | undefined;
  /** Batches without an answer, the oldest first, and the end of sending them. */
  readonly #sealed: Batch[] = [];
  #sent: Promise<void> = Promise.resolve();
  #held = 0;
  #sends = 0;
  readonly #answered = { stored: 0, refused: 0 };
  /** Calls of `send` that wait for room. */
  #waiting: (() => void)[] = [];
  #closing: Promise<void> | undefined;
  #isEnded = false;
  #isStale = false;
  /** End the request and the pause under way. */
  #abort = () => {};
  #wake = () => {};
  /** The request of the oldest batch has not begun. */
  #isPacking = false;
  /** Why the oldest batch is still here. */
  #trouble: Trouble = { message: 'the server has not answered' };
  /** The oldest batch has an answer that is not of Sluice. */
  #isStuck = false;
  /** Entries that the server said it stored, by the key of their batch. */
  readonly #stored = new Map<string, number>();
  /** The oldest batch is refused as a whole: no try can store it. */
  #hasFailed = false;
  #onStuck = () => {};
  readonly #onHidden = () => this.#sendBeforeUnload();

  constructor(options: UploaderOptions) {
    this.#options = {
      batchLines: 5_000,
      batchSeconds: 1,
      heldBytes: 64 * mebibyte,
      closeSeconds: 30,
      batchBytes: page ? keepaliveBytes : 4 * mebibyte,
      gzip: true,
      ...options,
    };
    const { baseUrl, domain = DOMAIN } = options;
    if (!/^https?:\/\//i.test(baseUrl))
      throw new TypeError(`base URL: "${baseUrl}" does not begin with http:// or https://`);
    if (!domain) throw new TypeError('domain: an application is needed, such as weather-station-k3v9q2');
    this.#domain = domain;
    this.#url = `${baseUrl.replace(/\/+$/, '')}/api/applications/${encodeURIComponent(domain)}/data`;
    this.#headers = {
      'content-type': 'application/x-ndjson',
      // Another application has versions of its own.
      ...(domain === DOMAIN && { 'sluice-schema-version': String(SCHEMA_VERSION) }),
      ...(options.key !== undefined && { 'x-api-key': options.key }),
    };
    if (options.spool !== undefined) {
      this.#opening = this.#open(options.spool);
      // `send`, `flush` and `close` fail with this error.
      this.#opening.catch(() => {});
    }
    page?.addEventListener('visibilitychange', this.#onHidden);
    if (page) globalThis.addEventListener('pagehide', this.#onHidden);
  }

  get counts(): Counts {
    const waiting = this.#sealed.reduce((sum, { lines }) => sum + lines, this.#filling?.lines ?? 0);
    return { ...this.#answered, waiting };
  }

  /** Hands over an entry. Waits while too much is held. Fails if it is no JSON object. */
  async send(entry: Entry): Promise<void> {
    const line = lineOf(entry);
    if (this.#opening) await this.#opening;
    while (!this.#closing && !this.#hasFailed && this.#held >= this.#options.heldBytes)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#check();
    if (this.#closing) throw new Error('the uploader is closed');
    this.#add(line);
    if (page?.visibilityState === 'hidden') this.#sendBeforeUnload();
    // A loop that awaits `send` would otherwise block the requests.
    if (++this.#sends % 256 === 0) await new Promise(later);
  }

  /** Waits until all that was handed over before is answered. */
  async flush(): Promise<void> {
    await this.#opening;
    this.#seal();
    await this.#sent;
    this.#check();
  }

  /**
   * Asks whether the server still has the entries that it told this uploader were stored, in the last 10,000 batches.
   * Resolves with how many are missing: 0 if all are there. The server answers only if the uploader has a `key`.
   */
  async verify(): Promise<number> {
    const stored = new Map(this.#stored);
    if (stored.size === 0) return 0;
    const { fetch = globalThis.fetch } = this.#options;
    const response = await fetch(`${this.#url}/missing`, {
      method: 'POST',
      headers: { ...this.#headers, 'content-type': 'application/json' },
      body: JSON.stringify({ keys: [...stored.keys()] }),
      redirect: 'manual',
      signal: AbortSignal.timeout(60_000),
    });
    const text = await response.text();
    if (response.status !== 200) {
      const { status, name, message } = readAnswer(response.status, response.headers, text);
      throw new Error(`${status} ${name}: ${message}`);
    }
    const { data } = JSON.parse(text) as { data: { missing: string[] } };
    return data.missing.reduce((sum, key) => sum + (stored.get(key) ?? 0), 0);
  }

  /** Sends what is left, and ends. Fails with the number of entries that are not stored. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#opening;
    this.#seal();
    this.#resumeSends();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#options.closeSeconds * 1_000);
      this.#onStuck = resolve;
      this.#sent.then(resolve).finally(() => clearTimeout(timer));
      if (this.#isStuck) resolve();
    });
    this.#isEnded = true;
    this.#abort();
    this.#wake();
    await this.#sent;
    this.#spool?.unlock();
    page?.removeEventListener('visibilitychange', this.#onHidden);
    if (page) globalThis.removeEventListener('pagehide', this.#onHidden);
    this.#check();
  }

  /** Fails if the server takes no more, or the end has left entries behind. */
  #check(): void {
    if (this.#hasFailed || (this.#isEnded && this.#sealed.length > 0)) throw this.#notStored();
  }

  #notStored(): NotStored {
    return new NotStored(this.counts.waiting, this.#spool ? ' and stay in the spool' : '', this.#trouble);
  }

  async #open(folder: string): Promise<void> {
    this.#spool = await openSpool(folder, this.#warn);
    for (const batch of this.#spool.found) {
      this.#held += batch.bytes;
      this.#enqueue(batch);
    }
    this.#opening = undefined;
  }

  #add(line: string): void {
    const bytes = bytesOf(line);
    if (bytes > mostEntryBytes) {
      this.#answered.refused += 1;
      this.#tell(encoder.encode(line), [tooLarge]);
      return;
    }
    const { batchLines, batchBytes, batchSeconds } = this.#options;
    if (this.#filling && this.#filling.bytes + bytes > batchBytes) this.#seal();
    this.#filling ??= { key: newKey(), lines: 0, bytes: 0, text: '', body: noBytes };
    const batch = this.#filling;
    if (this.#spool) this.#spool.append(batch, line, bytes);
    else batch.text += line;
    if (batch.lines === 0) this.#sealTimer = setTimeout(() => this.#seal(), batchSeconds * 1_000);
    batch.lines += 1;
    batch.bytes += bytes;
    this.#held += bytes;
    if (batch.lines >= batchLines || batch.bytes >= batchBytes) this.#seal();
  }

  /** From now on the batch takes no lines. It is sent when its turn comes. */
  #seal(): void {
    const batch = this.#filling;
    if (!batch || batch.lines === 0) return;
    clearTimeout(this.#sealTimer);
    this.#filling = undefined;
    if (this.#spool) this.#spool.seal();
    else batch.body = encoder.encode(batch.text);
    batch.text = '';
    this.#enqueue(batch);
  }

  #enqueue(batch: Batch): void {
    this.#sealed.push(batch);
    this.#sent = this.#sent.then(() => this.#deliver(batch));
  }

  /** Repeats a batch until it is answered. Its key makes that safe. */
  async #deliver(batch: Batch): Promise<void> {
    let halves: Batch[] = [];
    for (let attempt = 0; !this.#isEnded && !this.#hasFailed && halves.length === 0; attempt++) {
      let seconds = Math.random() * Math.min(30, 0.5 * 2 ** attempt);
      try {
        const body = this.#spool ? this.#spool.read(batch) : batch.body;
        const answer = await this.#post(batch.key, body);
        this.#checkVersion(answer);
        if (answer.refused) return this.#end(batch, body, answer.refused);
        if (answer.isTooLarge && batch.lines > 1) {
          halves = this.#split(batch, body, answer);
          continue;
        }
        if (answer.status === 413) return this.#end(batch, body, [{ ...answer, line: 1 }]);
        if (answer.status === 409 && answer.isOfSluice && this.#spool) {
          this.#spool.setAside(batch.key, answer.message);
          return this.#drop(batch);
        }
        this.#trouble = answer;
        if (answer.isTemporary) seconds = answer.retryAfter ?? seconds;
        else if (answer.isOfSluice) return this.#fail();
        else {
          seconds = 30;
          this.#stick();
        }
      } catch (error) {
        if (!this.#isEnded) this.#trouble = { message: messageOf(error) };
        // Only this process may remove a batch.
        if (codeOf(error) === 'ENOENT') return this.#fail();
      }
      await this.#pause(seconds);
    }
    for (const half of halves) await this.#deliver(half);
  }

  /** The server takes less at once. Later batches are no larger than these halves. */
  #split(batch: Batch, body: Bytes, { status }: Answer): Batch[] {
    const { key, lines } = batch;
    const first = lines >> 1;
    let cut = 0;
    for (let line = 0; line < first; line++) cut = body.indexOf(newline, cut) + 1;
    const half = (name: 'a' | 'b', count: number, part: Bytes): Batch => ({
      key: key + name,
      lines: count,
      bytes: part.length,
      text: '',
      body: part,
    });
    const halves = [half('a', first, body.subarray(0, cut)), half('b', lines - first, body.subarray(cut))];
    if (this.#spool) this.#spool.split(batch, halves);
    const options = this.#options;
    if (status === 413) options.batchBytes = Math.min(options.batchBytes, Math.ceil(batch.bytes / 2));
    else options.batchLines = Math.min(options.batchLines, first);
    this.#sealed.splice(0, 1, ...halves);
    return halves;
  }

  async #post(key: string, body: Bytes): Promise<Answer> {
    const request = new AbortController();
    this.#abort = () => request.abort();
    const late = () => request.abort(new Error('no answer within 60 s'));
    const timer = setTimeout(late, 60_000);
    try {
      const response = await this.#fetch(key, await this.#pack(body), request.signal);
      return readAnswer(response.status, response.headers, await response.text());
    } finally {
      clearTimeout(timer);
    }
  }

  /** The last request of a page must begin at once. */
  async #pack(plain: Bytes): Promise<Packed> {
    if (!this.#options.gzip || plain.length < 1_024 || page?.visibilityState === 'hidden')
      return { body: plain, headers: {} };
    this.#isPacking = true;
    try {
      return await gzip(plain);
    } finally {
      this.#isPacking = false;
    }
  }

  #fetch(key: string, { body, headers: more }: Packed, signal: AbortSignal | null = null) {
    const { fetch = globalThis.fetch } = this.#options;
    const headers = { ...this.#headers, ...more, 'idempotency-key': key };
    // Such a request outlives the page.
    const keepalive = page !== undefined && body.length <= keepaliveBytes;
    return fetch(`${this.#url}/batch`, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      keepalive,
      signal,
    });
  }

  /** A batch is answered. It is gone before a callback can fail. */
  #end(batch: Batch, body: Bytes, refused: LineError[]): void {
    this.#spool?.remove(batch);
    this.#drop(batch);
    const stored = batch.lines - refused.length;
    this.#answered.stored += stored;
    this.#answered.refused += refused.length;
    this.#remember(batch.key, stored);
    this.#tell(body, refused);
  }

  #remember(key: string, entries: number): void {
    if (entries > 0) this.#stored.set(key, entries);
    const [oldest] = this.#stored.keys();
    if (this.#stored.size > verifiedBatches && oldest !== undefined) this.#stored.delete(oldest);
  }

  #drop({ bytes }: Batch): void {
    this.#isStuck = false;
    this.#sealed.shift();
    this.#held -= bytes;
    this.#resumeSends();
  }

  #tell(body: Bytes, refused: LineError[]): void {
    const { onRefused } = this.#options;
    const [first] = refused;
    if (!onRefused) {
      if (first) this.#warn(`${refused.length} entries were refused; line ${first.line}: ${textOf(first)}`);
      return;
    }
    const lines = first ? new TextDecoder().decode(body).split('\n') : [];
    for (const { line, name, message, details = [] } of refused) {
      call(onRefused, { entry: entryOf(lines[line - 1] ?? ''), line, name, message, details });
    }
  }

  #checkVersion({ version, change }: Answer): void {
    if (this.#isStale || !change) return;
    this.#isStale = true;
    const { onStale } = this.#options;
    const than = `${change} than version ${SCHEMA_VERSION} of this client`;
    if (onStale) call(onStale, { version, change });
    else this.#warn(`the schema is now version ${version}, ${than}: run sluice client update uploader.ts`);
  }

  /** What is held stays, and nothing more is taken. */
  #fail(): void {
    this.#hasFailed = true;
    this.#warn(this.#notStored().message);
    this.#resumeSends();
  }

  #stick(): void {
    if (!this.#isStuck)
      this.#warn(`a batch is not stored, and is tried again every 30 s: ${this.#trouble.message}`);
    this.#isStuck = true;
    this.#onStuck();
  }

  #pause(seconds: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isEnded) resolve();
      const timer = setTimeout(resolve, seconds * 1_000);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #resumeSends(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }

  /** If the page lives on, these batches are sent again in their turn, with the same keys. */
  #sendBeforeUnload(): void {
    if (this.#hasFailed) return;
    this.#seal();
    this.#wake();
    let room = keepaliveBytes;
    for (const [at, { key, bytes, body }] of this.#sealed.entries()) {
      room -= bytes;
      // The request of the first is under way.
      if (at === 0 && !this.#isPacking) continue;
      if (room < 0) return;
      this.#fetch(key, { body, headers: {} }).catch(() => {});
    }
  }

  readonly #warn = (message: string) => console.warn(`Sluice ${this.#domain}: ${message}`);
}

interface Batch {
  key: string;
  lines: number;
  bytes: number;
  /** The lines of a batch that is filling. Empty with a spool. */
  text: string;
  /** The lines of a sealed batch. Empty with a spool. */
  body: Bytes;
}

/** A body, and what its compression adds to the headers. */
interface Packed {
  body: Bytes;
  headers: Record<string, string>;
}

interface LineError {
  line: number;
  name: string;
  message: string;
  details?: Refusal['details'];
}

interface Trouble {
  status?: number;
  name?: string;
  message: string;
}

interface Answer extends Trouble {
  status: number;
  name: string;
  /** The lines that were not stored; undefined if the answer is not about lines. */
  refused: LineError[] | undefined;
  isTemporary: boolean;
  /** The server does not take so much at once, however long the client waits. */
  isTooLarge: boolean;
  /** False if a proxy has answered. */
  isOfSluice: boolean;
  retryAfter: number | undefined;
  version: number;
  change: Stale['change'] | undefined;
}

let lastStamp = 0;
/** Keys in the order of their batches. */
function newKey(): string {
  lastStamp = Math.max(Date.now(), lastStamp + 1);
  const random = crypto.getRandomValues(new Uint8Array(8));
  return `${String(lastStamp).padStart(13, '0')}-${Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

const mebibyte = 1024 ** 2;
/** No server takes a larger entry. */
const mostEntryBytes = 8 * mebibyte;
/** The server answers for so many keys at once. */
const verifiedBatches = 10_000;
const tooLarge: LineError = {
  line: 1,
  name: 'PayloadTooLargeError',
  message: 'the entry has more than 8 MiB',
};
const encoder = new TextEncoder();
type Later = (then: (value?: unknown) => void) => unknown;
/** Calls back after the events that wait. Browsers have no `setImmediate`. */
const later: Later = (globalThis as { setImmediate?: Later }).setImmediate ?? setTimeout;
/** Browsers allow 64 KiB for what may outlive a page. */
const keepaliveBytes = 60 * 1024;
/** 207 only if the answer is cut off. */
const temporary = [207, 408, 500, 502, 503, 504];
/** Undefined outside of browsers. */
const page = (globalThis as { document?: EventTarget & { visibilityState: string } }).document;

const noBytes = new Uint8Array(0);
type Bytes = typeof noBytes;

/** Fails if the entry is no JSON object. */
function lineOf(entry: unknown): string {
  const json = jsonOf(entry);
  const kinds: Record<string, string> = {
    '[': 'an array',
    '"': 'a string',
    t: 'a boolean',
    f: 'a boolean',
    n: 'null',
  };
  const [first = ''] = json ?? '';
  if (first === '{') return `${json}\n`;
  const kind = json === undefined ? String(typeof entry) : (kinds[first] ?? 'a number');
  throw new TypeError(`an entry is a JSON object, not ${kind.replace(/^(?=function|symbol)/, 'a ')}`);
}

/** Undefined if there is none. */
function jsonOf(entry: unknown): string | undefined {
  let json: string | undefined = 'null';
  try {
    json = JSON.stringify(entry);
  } catch {
    // A bigint, or what the second try tells.
  }
  if (!json?.includes('null')) return json;
  try {
    return JSON.stringify(entry, exactly)?.replace(markedDigits, '$1');
  } catch (error) {
    const [message] = messageOf(error).split('\n');
    throw message === noNaN ? error : new TypeError(`an entry that JSON cannot write: ${message}`);
  }
}

const noNaN = 'an entry cannot hold NaN or Infinity';

/** Before the digits of a bigint, in a string that nobody else writes. */
const mark = `${newKey()}:`;
const markedDigits = new RegExp(`"${mark}(-?\\d+)"`, 'g');

/** JSON would write null for these numbers and dates, and has no bigint. */
function exactly(this: unknown, name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return mark + value;
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(noNaN);
  if (value === null && (this as Record<string, unknown>)[name] instanceof Date)
    throw new TypeError('Invalid Date');
  return value;
}

/** An integer that a number cannot hold becomes a bigint. A disk may have damaged a line. */
function entryOf(line: string) {
  const exact = !/\d{16}/.test(line)
    ? line
    : line.replace(/"(?:[^"\\]+|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
        /^-?\d{16,}$/.test(token) && String(Number(token)) !== token ? `"${mark}${token}"` : token,
      );
  try {
    return JSON.parse(exact, (_, value) =>
      typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
    );
  } catch {
    return line;
  }
}

/** What a program needs of `node:zlib`. */
interface Zlib {
  gzip(body: Bytes, options: { level: number }, done: (error: Error | null, packed: Bytes) => void): void;
}

/** By Node.js at its fastest level, or as browsers do it. Old browsers do not. */
async function gzip(plain: Bytes): Promise<Packed> {
  const zlib: Zlib | undefined = page ? undefined : await nodeModule('node:zlib').catch(() => undefined);
  const headers = { 'content-encoding': 'gzip' };
  if (zlib)
    return new Promise((resolve, reject) =>
      zlib.gzip(plain, { level: 1 }, (error, body) => (error ? reject(error) : resolve({ body, headers }))),
    );
  if (typeof CompressionStream === 'undefined') return { body: plain, headers: {} };
  const packed = new Blob([plain]).stream().pipeThrough(new CompressionStream('gzip'));
  return { body: new Uint8Array(await new Response(packed).arrayBuffer()), headers };
}

/** An error in a callback, perhaps a later one, stops nothing. */
function call<Value>(callback: (value: Value) => unknown, value: Value): void {
  new Promise((resolve) => resolve(callback(value))).catch((error) => console.error(error));
}

/** In UTF-8. */
const bytesOf = (text: string) => (/[^ -~\n]/.test(text) ? encoder.encode(text).length : text.length);

const codeOf = (error: unknown) => (error as { code?: string }).code ?? '';

/** `fetch` has its reason in `cause`. */
function messageOf(error: unknown): string {
  const { message, cause } = error as { message: string; cause?: { message?: string; code?: string } };
  return `${message} ${cause?.message || cause?.code || ''}`.trim();
}

const textOf = ({ message, details = [] }: LineError) =>
  details[0] ? `${details[0].path} ${details[0].message}` : message;

/** In seconds. */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1_000;
  return Math.min(Math.max(seconds || 0, 0.1), 86_400);
}

function readAnswer(status: number, headers: Headers, text: string): Answer {
  let body: {
    data?: { errors?: LineError[] };
    error?: { name: string; message: string; details?: LineError[] };
  };
  try {
    body = Object(JSON.parse(text));
  } catch {
    // A proxy between has answered.
    body = {};
  }
  const {
    name = 'UnexpectedAnswer',
    message = `the answer has status ${status}`,
    details,
  } = body.error ?? {};
  let refused: LineError[] | undefined;
  if (status === 201) refused = [];
  else if (status === 207) refused = body.data?.errors;
  else if (status === 422 && details?.length && details.every(({ line }) => line > 0)) refused = details;
  const retryAfter = retryAfterOf(headers);
  const isOfSluice = body.error?.name !== undefined;
  // Sluice says when to try again, if that can help; proxies may not.
  const isBusy = status === 429 && (retryAfter !== undefined || !isOfSluice);
  return {
    status,
    name,
    message,
    refused,
    retryAfter,
    isOfSluice,
    isTemporary: temporary.includes(status) || isBusy,
    isTooLarge: status === 413 || (status === 429 && !isBusy),
    version: Number(headers.get('sluice-schema-version')),
    change: (headers.get('sluice-schema-change') ?? undefined) as Answer['change'],
  };
}

/** A folder with a file for each batch. */
interface Spool {
  found: Batch[];
  /** The line is in the file when it returns. */
  append(batch: Batch, line: string, length: number): void;
  /** The file of the last `append` is complete. */
  seal(): void;
  read(batch: Batch): Bytes;
  /** Puts its halves in place of a batch. They count once the whole is removed. */
  split(whole: Batch, halves: Batch[]): void;
  remove(batch: Batch): void;
  /** Renames a file that cannot be read, or has other lines than the server has for its key. */
  setAside(key: string, why: string): void;
  unlock(): void;
}

/** The functions of `node:fs` that a spool needs. Browser projects have no types for that module. */
interface Files {
  mkdirSync(path: string, options: { recursive: boolean; mode: number }): void;
  readdirSync(path: string): string[];
  readFileSync(path: string): Bytes;
  writeFileSync(path: string, content: string | Bytes, options: { mode: number; flush?: boolean }): void;
  truncateSync(path: string, length: number): void;
  linkSync(from: string, to: string): void;
  renameSync(from: string, to: string): void;
  unlinkSync(path: string): void;
  openSync(path: string, flags: string, mode: number): number;
  writeSync(file: number, text: string): number;
  ftruncateSync(file: number, length: number): void;
  fsync(file: number, done: () => void): void;
  closeSync(file: number): void;
}

/** The name is in a variable, so that bundlers for browsers do not look for the module. */
const nodeModule = (name: string) => import(/* @vite-ignore */ /* webpackIgnore: true */ name);
const newline = 10;

interface Process {
  pid: number;
  kill(pid: number, signal: 0): true;
}

async function openSpool(folder: string, warn: (message: string) => void): Promise<Spool> {
  const fs: Files = await nodeModule('node:fs');
  const process: Process = await nodeModule('node:process');
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const unlock = lock(folder, fs, process);
  const pathOf = (key: string) => `${folder}/${key}.ndjson`;
  let file: number | undefined;

  /** A line without its end is cut off: `send` did not return for it. */
  function recover(key: string): Batch {
    const bytes = fs.readFileSync(pathOf(key));
    const end = bytes.lastIndexOf(newline) + 1;
    if (end < bytes.length) fs.truncateSync(pathOf(key), end);
    if (end === 0) fs.unlinkSync(pathOf(key));
    const lines = bytes.reduce((count, byte) => (byte === newline ? count + 1 : count), 0);
    lastStamp = Math.max(lastStamp, Number.parseInt(key, 10));
    return { key, lines, bytes: end, text: '', body: noBytes };
  }

  /** Its batches, the oldest first. */
  function recoverAll(): Batch[] {
    const names = fs.readdirSync(folder).filter((name) => /^\d{13}-[0-9a-f]{16}[ab]*\.ndjson$/.test(name));
    const found: Batch[] = [];
    let last = ' ';
    for (const key of names.map((name) => name.replace('.ndjson', '')).sort()) {
      // Halves of a batch that is still there: the process died while it split it.
      if (key.startsWith(last)) {
        fs.unlinkSync(pathOf(key));
        continue;
      }
      last = key;
      try {
        const batch = recover(key);
        if (batch.lines > 0) found.push(batch);
      } catch (error) {
        setAside(key, messageOf(error));
      }
    }
    return found;
  }

  function setAside(key: string, why: string): void {
    const aside = `${folder}/${key}.bad`;
    fs.renameSync(pathOf(key), aside);
    warn(`a batch cannot be sent, and is now ${aside}: ${why}`);
  }

  return {
    found: recoverAll(),
    append({ key, bytes }, line, length) {
      file ??= fs.openSync(pathOf(key), 'a', 0o600);
      try {
        if (fs.writeSync(file, line) < length) throw new Error(`no room in ${folder}`);
      } catch (error) {
        fs.ftruncateSync(file, bytes);
        throw error;
      }
    },
    seal() {
      const sealed = file as number;
      file = undefined;
      fs.fsync(sealed, () => fs.closeSync(sealed));
    },
    read: ({ key }) => fs.readFileSync(pathOf(key)),
    split({ key }, halves) {
      for (const half of halves) {
        fs.writeFileSync(pathOf(half.key), half.body, { mode: 0o600, flush: true });
        half.body = noBytes;
      }
      fs.unlinkSync(pathOf(key));
    },
    remove: ({ key }) => fs.unlinkSync(pathOf(key)),
    setAside,
    unlock,
  };
}

/** Fails if another process that runs has the folder. Returns what ends the lock. */
function lock(folder: string, fs: Files, process: Process): () => void {
  const path = `${folder}/lock`;
  const own = `${path}-${newKey()}`;
  const text = (file: string) => {
    try {
      return new TextDecoder().decode(fs.readFileSync(file));
    } catch (error) {
      // ESRCH: the process has ended while its file was read.
      if (['ENOENT', 'ESRCH'].includes(codeOf(error))) return undefined;
      throw error;
    }
  };
  /** A pid may come again, but with another start time, which Linux tells. Z: it has ended. */
  const identityOf = (pid: number) => {
    const stat = text(`/proc/${pid}/stat`) ?? '';
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? 'nobody' : `${pid} ${fields[19] ?? ''}`;
  };
  const isRunning = (holder: string) => {
    const pid = Number.parseInt(holder, 10);
    try {
      return process.kill(pid, 0) && identityOf(pid) === holder;
    } catch (error) {
      return codeOf(error) === 'EPERM';
    }
  };
  const isLinked = (file: string) => {
    try {
      fs.linkSync(own, file);
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  };

  /** Only the process that has its guard may replace the lock of a dead process. The guard is such a lock itself. */
  function take(file: string): void {
    while (!isLinked(file)) {
      const holder = text(file);
      if (holder === undefined) continue;
      if (isRunning(holder)) throw new Error(`process ${Number.parseInt(holder, 10)} uses ${folder}`);
      const guard = `${file}~`;
      take(guard);
      if (text(file) === holder) {
        fs.renameSync(guard, file);
        return;
      }
      fs.unlinkSync(guard);
    }
  }

  const identity = identityOf(process.pid);
  fs.writeFileSync(own, identity, { mode: 0o600 });
  try {
    take(path);
  } finally {
    fs.unlinkSync(own);
  }
  return () => {
    if (text(path) === identity) fs.unlinkSync(path);
  };
}
