import { isUtf8 } from 'node:buffer';
import { explainSyntax } from '@sluice/json/explain-syntax.ts';
import { findRepeatedKeys } from '@sluice/json/find-issues.ts';
import { memberText } from '@sluice/json/member-text.ts';
import { parseJson } from '@sluice/json/parse-json.ts';
import { isObject } from '@sluice/schemas/is-object.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { decodeWhole, encodingOf } from './decode.ts';

type Done = (error: Error | null, body?: unknown) => void;

/** Other character sets are refused rather than misread. */
export function refuseCharsets(request: FastifyRequest): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(request.headers['content-type'] ?? '')?.[1];
  if (charset && !/^utf-?8$/i.test(charset)) {
    throw new ApiError(
      'UnsupportedMediaTypeError',
      `only UTF-8 is taken here; charset ${charset.slice(0, 40)} is not`,
    );
  }
}

/** Compressed bodies too. */
function refuseEncodings(request: FastifyRequest): void {
  const encoding = request.headers['content-encoding'];
  if (encoding && encoding.toLowerCase() !== 'identity') {
    throw new ApiError(
      'UnsupportedMediaTypeError',
      `Content-Encoding ${encoding.slice(0, 40)} is not taken here`,
    );
  }
  refuseCharsets(request);
}

/** Takes JSON bodies, compressed ones too, as the bytes they are, for a route that reads them itself. */
export function takeJsonBytes(app: FastifyInstance): void {
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: FastifyRequest, body: Buffer, done: Done) => {
      const encoding = encodingOf(request.headers['content-encoding']);
      refuseCharsets(request);
      if (encoding === undefined) done(null, body);
      else
        decodeWhole(body, encoding, request.routeOptions.bodyLimit).then((whole) => done(null, whole), done);
    },
  );
}

/** More than any route has a use for; each takes a microsecond or two. */
const mostValues = 25_000;

/** Found before the body is parsed: that would hold up all others for half a second. */
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

/** Lone surrogates would be stored as U+FFFD, `__proto__` is nobody's field. */
function check(key: string, value: unknown): unknown {
  if (key === '__proto__') throw malformed('the key __proto__ is not allowed');
  if (typeof value === 'string' && !value.isWellFormed())
    throw malformed('a string has half of a surrogate pair');
  return value;
}

/** JSON.parse would keep only the last value of a repeated key. The member `textOf` has its own reader, whose message says more. */
function refuseRepeatedKeys(text: string, { textOf }: FastifyContextConfig): void {
  const repeated = findRepeatedKeys(text);
  // `check` has refused that key already.
  if (repeated === 'forbidden') return;
  const first = repeated.find(({ path }) => textOf === undefined || !path.startsWith(`/${textOf}/`));
  if (!first) return;
  const details = [{ in: 'body' as const, ...first }];
  throw new ApiError('MalformedBodyError', `body${first.path}: ${first.message}`, { details });
}

/** An object that is kept as text keeps its digits too, which a parsed number may not. */
function keepTexts(
  value: unknown,
  text: string,
  { textOf, listsAsText = [] }: FastifyContextConfig,
): unknown {
  if (!isObject(value)) return value;
  const names = listsAsText.filter((name) => Array.isArray(value[name]));
  if (textOf !== undefined && isObject(value[textOf])) names.push(textOf);
  const texts = names.map((name) => [name, memberText(text, name)]);
  return names.length === 0 ? value : { ...value, ...Object.fromEntries(texts) };
}

function parse(body: Buffer, config: FastifyContextConfig): unknown {
  if (body.length === 0) throw malformed('the body is empty');
  if (!isUtf8(body)) throw malformed('the body is not valid UTF-8');
  refuseManyValues(body);
  const text = body.toString().replace(/^\uFEFF/, '');
  try {
    const value = parseJson(text, check);
    refuseRepeatedKeys(text, config);
    return keepTexts(value, text, config);
  } catch (error) {
    throw error instanceof ApiError
      ? error
      : malformed(`the body is not JSON: ${explainSyntax(text, error)}`);
  }
}

/** JSON is the only content type; Fastify's own text parser goes. */
export const jsonBody = fp(
  async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      (request: FastifyRequest, body: Buffer, done: Done) => {
        refuseEncodings(request);
        done(null, parse(body, request.routeOptions.config));
      },
    );
  },
  { name: 'json-body' },
);

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A member of the body that is JSON text to the route: where an object is sent, its text comes in its place. */
    textOf?: string;
    /** The same of members that are arrays. */
    listsAsText?: string[];
  }
}
