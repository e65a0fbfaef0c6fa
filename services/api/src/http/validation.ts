import { toPointer } from '@sluice/json/pointer.ts';
import type { ErrorDetail } from '@sluice/shared/errors.ts';
import { Ajv, type ErrorObject } from 'ajv';
import formats from 'ajv-formats';
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify';
import fp from 'fastify-plugin';
import { suitsBcrypt } from '../accounts/suits-bcrypt.ts';
import { toPackageUrl } from '../applications/package-url.ts';

const maxDetails = 50;

/** ISO 8601: a date, or a date and time with `Z`, an offset, or nothing, which is UTC. */
const isoTimestamp = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** Milliseconds since the epoch; NaN when the text is no timestamp. */
export function parseTimestamp(text: string): number {
  if (!isoTimestamp.test(text)) return Number.NaN;
  const hasZone = text.length === 10 || /(Z|[+-]\d\d:\d\d)$/.test(text);
  const time = Date.parse(hasZone ? text : `${text}Z`);
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10)) ? time : Number.NaN;
}

/** As browsers send it in the header Origin, where no pattern would match. */
function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.parse(text)?.origin === text && !text.includes('*');
}

function createAjv(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({
    coerceTypes,
    removeAdditional: false,
    useDefaults: true,
    allErrors: true,
    strict: false,
    // Errors have the schema that they come from, and so its description.
    verbose: true,
  });
  formats.default(ajv, ['date-time']);
  ajv.addFormat('iso-timestamp', (text: string) => !Number.isNaN(parseTimestamp(text)));
  ajv.addFormat('package-url', (text: string) => toPackageUrl(text) !== undefined);
  ajv.addFormat('origin', isOrigin);
  ajv.addFormat('bcrypt-password', suitsBcrypt);
  return ajv;
}

const formatMessages: Record<string, string> = {
  'iso-timestamp': 'must be an ISO 8601 timestamp such as 2026-11-21T04:00:00Z (in a URL, + is written %2B)',
  'package-url': 'must be an http or https URL of at most 2000 characters',
  origin: 'must be an origin such as https://example.com: lower case, no path, no default port',
  'bcrypt-password': 'must have at most 72 bytes of UTF-8, and no NUL',
};

function explain({ keyword, params, message, parentSchema }: ErrorObject): string {
  if (keyword === 'additionalProperties') return 'is not a known field';
  if (keyword === 'required') return 'is required';
  if (keyword === 'format') return formatMessages[params.format] ?? `must be a ${params.format}`;
  if (keyword === 'enum') return `must be one of ${params.allowedValues.join(', ')}`;
  if (keyword === 'minLength')
    return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`;
  if (keyword === 'maxLength') return `must have at most ${params.limit} characters`;
  const plain = message ?? 'is wrong';
  const isToldBest = keyword === 'type' || keyword === 'pattern';
  const { description } = parentSchema as { description?: string };
  return isToldBest && description ? `${plain}: ${description}` : plain;
}

function toDetail(part: ErrorDetail['in'], error: ErrorObject): ErrorDetail {
  const { additionalProperty, missingProperty } = error.params;
  const name: string | undefined = additionalProperty ?? missingProperty;
  const below = name === undefined ? '' : toPointer([name.slice(0, 100)]);
  return { in: part, path: error.instancePath + below, keyword: error.keyword, message: explain(error) };
}

/** What a parser of queries makes a list of. */
function repeated(data: Record<string, unknown>): ErrorDetail[] {
  return Object.entries(data)
    .filter(([, value]) => Array.isArray(value))
    .map(([name]) => ({
      in: 'querystring',
      path: toPointer([name.slice(0, 100)]),
      keyword: 'type',
      message: 'must be given once',
    }));
}

/** What Ajv's coercion would take for a number though nobody writes one so: '', ' 5', '0x10', '1e2'. */
function looseNumbers(
  properties: Record<string, { type?: string }>,
  data: Record<string, unknown>,
): ErrorDetail[] {
  return Object.entries(properties)
    .filter(
      ([name, { type }]) =>
        type === 'integer' && data[name] !== undefined && !/^-?\d+$/.test(String(data[name])),
    )
    .map(([name]) => ({ in: 'querystring', path: `/${name}`, keyword: 'type', message: 'must be integer' }));
}

class ValidationFailure extends Error {
  readonly validation: ErrorDetail[];
  statusCode = 400;

  constructor(details: ErrorDetail[]) {
    super('invalid request');
    this.validation = details;
  }
}

/** Of routes that say nothing of a query. */
const noQuery = { type: 'object', properties: {}, additionalProperties: false };

function isEmpty(data: unknown): boolean {
  for (const _name in data as object) return false;
  return true;
}

/** Bodies are taken as they are; what comes as text (query, path) is turned into the types it should have. */
export const validation = fp(
  async (app) => {
    app.addHook('onRoute', ({ schema }) => {
      if (schema && !schema.hide) schema.querystring ??= noQuery;
    });
    const strict = createAjv(false);
    const coercing = createAjv(true);
    app.setValidatorCompiler(({ schema, httpPart }) => {
      const part = httpPart as ErrorDetail['in'];
      const validate = (part === 'body' ? strict : coercing).compile(schema as object);
      const properties = (schema as { properties?: Record<string, { type?: string }> }).properties ?? {};
      return (data: unknown) => {
        // The way of an upload.
        if (schema === noQuery && isEmpty(data)) return { value: data };
        const query = part === 'querystring' ? (data as Record<string, unknown>) : {};
        const twice = repeated(query);
        if (twice.length > 0) return { error: new ValidationFailure(twice.slice(0, maxDetails)) };
        const loose = looseNumbers(properties, query);
        if (validate(data) && loose.length === 0) return { value: data };
        const issues = (validate.errors ?? []).slice(0, maxDetails).map((error) => toDetail(part, error));
        const more = issues.filter(({ path }) => !loose.some((one) => one.path === path));
        return { error: new ValidationFailure([...loose, ...more]) };
      };
    });
  },
  { name: 'validation' },
);

const accept = () => true;

/** For routes that read their bodies and headers themselves: the schemas of both only describe them. */
export function onlyQueries(app: FastifyInstance): FastifySchemaCompiler<unknown> {
  const compile = app.validatorCompiler as FastifySchemaCompiler<unknown>;
  return (route) => (route.httpPart === 'querystring' ? compile(route) : accept);
}
