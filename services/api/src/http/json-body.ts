import { isUtf8 } from 'node:buffer';
import { type Compression, decodeWhole } from '@sluice/intake/receive/decode.ts';
import { withoutByteOrderMark, withoutMark } from '@sluice/json/byte-order-mark.ts';
import { explainBytes, foreignStart } from '@sluice/json/explain-bytes.ts';
import { explainSyntax } from '@sluice/json/explain-syntax.ts';
import { findRepeatedKeys } from '@sluice/json/find-issues.ts';
import { memberText } from '@sluice/json/member-text.ts';
import { parseJson } from '@sluice/json/parse-json.ts';
import { isObject } from '@sluice/schemas/schema.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import type { FastifyContextConfig, FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import { noteBeginning } from './beginnings.ts';
import { takeParameters } from './media-type.ts';

type Done = (error: Error | null, body?: unknown) => void;

const encodings: Record<string, Compression | undefined> = { gzip: 'gzip', 'x-gzip': 'gzip', zstd: 'zstd' };

/** The encoding that the header `Content-Encoding` names; undefined for none. Throws ApiError. */
export function encodingOf(header: string | undefined): Compression | undefined {
  const name = (header ?? '').trim().toLowerCase();
  if (name === '' || name === 'identity') return undefined;
  const encoding = encodings[name];
  if (encoding) return encoding;
  throw new ApiError(
    'UnsupportedMediaTypeError',
    `Content-Encoding ${name.slice(0, 40)} is not taken here, only gzip and zstd`,
  );
}

function refuseEncodings(request: FastifyRequest): void {
  const encoding = request.headers['content-encoding'];
  if (encoding && encoding.toLowerCase() !== 'identity') {
    throw new ApiError(
      'UnsupportedMediaTypeError',
      `Content-Encoding ${encoding.slice(0, 40)} is not taken here`,
    );
  }
  takeParameters(request);
}

/** For routes that read JSON themselves: they get its bytes, decompressed. */
export function takeJsonBytes(app: FastifyInstance): void {
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: FastifyRequest, body: Buffer, done: Done) => {
      const encoding = encodingOf(request.headers['content-encoding']);
      takeParameters(request);
      if (encoding === undefined) return done(null, body);
      const onFirst = (piece: Buffer) => noteBeginning(request, piece);
      decodeWhole(body, encoding, request.routeOptions.bodyLimit, onFirst).then(
        (whole) => done(null, whole),
        done,
      );
    },
  );
}

/** More than any route needs. Each value takes a microsecond or two. */
const mostValues = 25_000;

/** Counts values before they are parsed: to parse many would block the process for half a second. */
function refuseManyValues(body: Buffer): void {
  let values = 0;
  let isInString = false;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (isInString) {
      if (byte === 0x5c) at += 1;
      else if (byte === 0x22) isInString = false;
    } else if (byte === 0x22) isInString = true;
    else if (byte === 0x2c || byte === 0x5b || byte === 0x7b) {
      values += 1;
      if (values > mostValues)
        throw new ApiError('PayloadTooLargeError', `the body has more than ${mostValues} values`);
    }
  }
}

function malformed(message: string): ApiError {
  return new ApiError('MalformedBodyError', message);
}

/** MongoDB would store lone surrogates as U+FFFD. */
function check(key: string, value: unknown): unknown {
  if (key === '__proto__') throw malformed('the key __proto__ is not allowed');
  if (typeof value === 'string' && !value.isWellFormed())
    throw malformed('a string has half of a surrogate pair');
  return value;
}

/** JSON.parse keeps only the last value of a repeated key. The reader of the member `textOf` has better messages. */
function refuseRepeatedKeys(text: string, { textOf }: FastifyContextConfig): void {
  const repeated = findRepeatedKeys(text);
  // `check` has refused `__proto__` already.
  if (repeated === 'forbidden') return;
  const first = repeated.find(({ path }) => textOf === undefined || !path.startsWith(`/${textOf}/`));
  if (!first) return;
  const details = [{ in: 'body' as const, ...first }];
  throw new ApiError('MalformedBodyError', `body${first.path}: ${first.message}`, { details });
}

/** Replaces members that the route takes as text: parsed numbers could lose digits. Texts lose a byte order mark. */
function keepTexts(
  value: unknown,
  text: string,
  { textOf, listsAsText = [] }: FastifyContextConfig,
): unknown {
  if (!isObject(value)) return value;
  const names = listsAsText.filter((name) => Array.isArray(value[name]));
  if (textOf !== undefined && isObject(value[textOf])) names.push(textOf);
  const texts: [string, unknown][] = names.map((name) => [name, memberText(text, name)]);
  for (const name of [...listsAsText, ...(textOf === undefined ? [] : [textOf])]) {
    const member = value[name];
    if (typeof member === 'string') texts.push([name, withoutMark(member)]);
  }
  return texts.length === 0 ? value : { ...value, ...Object.fromEntries(texts) };
}

function parse(body: Buffer, config: FastifyContextConfig): unknown {
  if (body.length === 0) throw malformed('the body is empty');
  if (!isUtf8(body)) throw malformed(`the body is ${explainBytes(body)}`);
  refuseManyValues(body);
  const text = withoutByteOrderMark(body).toString();
  try {
    const value = parseJson(text, check);
    refuseRepeatedKeys(text, config);
    return keepTexts(value, text, config);
  } catch (error) {
    throw error instanceof ApiError
      ? error
      : malformed(`the body is not JSON: ${foreignStart(body) ?? explainSyntax(text, error)}`);
  }
}

const isEmptyObject = (value: unknown) => isObject(value) && Object.keys(value).length === 0;

/** Who selects what to delete in a body would delete everything. */
const noBody = () =>
  new ApiError('InvalidRequestError', 'this route takes no body, only a path and a query; nothing was done');

/** Clients name a content type for all requests, also for those without content. */
const ignoreUnusedType: onRequestHookHandler = ({ headers }, _reply, done) => {
  const isEmpty = (headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined;
  if (isEmpty) delete headers['content-type'];
  done();
};

/** JSON becomes the only content type. Where a route describes no body, none is needed. */
export function jsonBody(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (!route.schema?.body) route.onRequest = [ignoreUnusedType, ...[route.onRequest ?? []].flat()];
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: FastifyRequest, body: Buffer, done: Done) => {
      refuseEncodings(request);
      const { schema, config } = request.routeOptions;
      // An empty body in chunks has no length that tells so beforehand.
      if (body.length === 0 && !schema?.body) return done(null);
      const parsed = parse(body, config);
      if (schema && !schema.body && !isEmptyObject(parsed)) throw noBody();
      done(null, parsed);
    },
  );
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A member of the body that the route takes as JSON text: an object is replaced by its text. */
    textOf?: string;
    /** The same for members that are arrays. */
    listsAsText?: string[];
  }
}
