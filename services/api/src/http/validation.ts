import { toPointer } from '@sluice/json/pointer.ts';
import { ApiError, type ErrorDetail } from '@sluice/shared/errors.ts';
import { parseTimestamp } from '@sluice/shared/timestamp.ts';
import { suitsBcrypt } from '@sluice/store/accounts/credentials.ts';
import type { Period } from '@sluice/store/entries/entries.ts';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify';
import { failures } from './route-parts.ts';

/** `from` and `to` of a validated request as dates. Throws ApiError if they are in the wrong order. */
export function toPeriod({ from, to }: { from?: string; to?: string }): Period {
  const toDate = (text?: string) => (text === undefined ? undefined : new Date(parseTimestamp(text)));
  const period = { from: toDate(from), to: toDate(to) };
  if (period.from && period.to && period.from > period.to)
    throw new ApiError('InvalidRequestError', 'from is later than to');
  return period;
}

/** A URL as browsers write it: `http:x` becomes `http://x/`. Undefined for other protocols, and for long URLs. */
export function toPackageUrl(text: string): string | undefined {
  const url = URL.parse(text);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  return url && isHttp && url.href.length <= 2_000 ? url.href : undefined;
}

/** Whether browsers send exactly this text in the header `Origin`. */
const isOrigin = (text: string) =>
  /^https?:/.test(text) && URL.parse(text)?.origin === text && !text.includes('*');

interface Format {
  takes(text: string): boolean;
  says: string;
}

/** Formats of fields, besides those of JSON Schema. */
const formats: Record<string, Format> = {
  'iso-timestamp': {
    takes: (text) => !Number.isNaN(parseTimestamp(text)),
    says: 'must be an ISO 8601 timestamp such as 2026-11-21T04:00:00Z (in a URL, + is written %2B)',
  },
  'package-url': {
    takes: (text) => toPackageUrl(text) !== undefined,
    says: 'must be an http or https URL of at most 2000 characters',
  },
  origin: {
    takes: isOrigin,
    says: 'must be an origin such as https://example.com: lower case, no path, no default port',
  },
  'bcrypt-password': { takes: suitsBcrypt, says: 'must have at most 72 bytes of UTF-8, and no NUL' },
};

const maxDetails = 50;

type RequestPart = ErrorDetail['in'];

function createAjv(): Ajv {
  // `verbose` adds the value and the schema to errors.
  const ajv = new Ajv({ useDefaults: true, allErrors: true, strict: false, verbose: true });
  for (const [name, { takes }] of Object.entries(formats)) ajv.addFormat(name, takes);
  return ajv;
}

function explain(part: RequestPart, { keyword, params, message, data, parentSchema }: ErrorObject): string {
  if (part === 'querystring' && Array.isArray(data)) return 'must be given once';
  if (keyword === 'additionalProperties') return unknownName(part, params.additionalProperty, parentSchema);
  if (keyword === 'required') return 'is required';
  if (keyword === 'format') return formats[params.format]?.says ?? `must be a ${params.format}`;
  if (keyword === 'enum') return `must be one of ${params.allowedValues.join(', ')}`;
  if (keyword === 'minLength')
    return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`;
  if (keyword === 'maxLength') return `must have at most ${params.limit} characters`;
  const { description } = parentSchema as { description?: string };
  // The description says in words what the pattern says.
  if (keyword === 'pattern' && description) return asPredicate(description);
  const plain = keyword === 'type' ? `must be ${[params.type].flat().join(' or ')}` : (message ?? 'is wrong');
  return keyword === 'type' && description ? `${plain}: ${description}` : plain;
}

/** A sentence as it continues after the name of a field. */
const asPredicate = (sentence: string) =>
  sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, '');

function unknownName(part: RequestPart, name: string, schema: unknown): string {
  const allowed = Object.keys((schema as { properties?: object }).properties ?? {}).join(', ');
  if (part !== 'querystring') return `is not a known field; allowed: ${allowed || 'none'}`;
  return `unknown parameter \`${name.slice(0, 100)}\`; ${allowed ? `allowed: ${allowed}` : 'this route takes none'}`;
}

function toDetail(part: RequestPart, error: ErrorObject): ErrorDetail {
  const { additionalProperty, missingProperty } = error.params;
  const name: string | undefined = additionalProperty ?? missingProperty;
  const below = name === undefined ? '' : toPointer([name.slice(0, 100)]);
  return {
    in: part,
    path: error.instancePath + below,
    keyword: error.keyword,
    message: explain(part, error),
  };
}

/** Converts texts of a query to numbers and booleans. Other texts are left for validation to refuse. */
function readQuery(query: Record<string, unknown>, properties: Record<string, { type?: string }>): void {
  for (const [name, { type }] of Object.entries(properties)) {
    const text = query[name];
    if (typeof text !== 'string') continue;
    if (type === 'integer' && /^-?\d+$/.test(text)) query[name] = Number(text);
    if (type === 'boolean' && /^(true|false)$/.test(text)) query[name] = text === 'true';
  }
}

/** Without what alternatives for other types of a value say, where one is for its type. */
function ofFittingType(errors: ErrorObject[]): ErrorObject[] {
  const left = new Set(errors);
  for (const { keyword, instancePath, schemaPath } of errors.filter((error) => error.keyword === 'anyOf')) {
    const inside = errors.filter((error) => error.schemaPath.startsWith(`${schemaPath}/`));
    const misfits = inside.filter((error) => error.keyword === 'type' && error.instancePath === instancePath);
    const alternatives = misfits.map((error) => error.schemaPath.slice(0, -'type'.length));
    const besides = inside.filter((error) => alternatives.some((path) => error.schemaPath.startsWith(path)));
    if (besides.length === inside.length) continue;
    for (const error of errors)
      if (besides.includes(error) || (error.keyword === keyword && error.schemaPath === schemaPath))
        left.delete(error);
  }
  return [...left];
}

const noQuery = { type: 'object', properties: {}, additionalProperties: false };

function isEmpty(data: unknown): boolean {
  for (const _name in data as object) return false;
  return true;
}

/** Validates requests. Only queries are converted. */
export function validation(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (!route.schema || route.schema.hide) return;
    route.schema.querystring ??= noQuery;
    route.schema.response = { ...(route.schema.response as object), ...failures };
  });
  const ajv = createAjv();
  app.setValidatorCompiler(({ schema, httpPart }) => {
    const part = httpPart as RequestPart;
    // Compiling the schemas of all routes takes a third of a start.
    let validate: ValidateFunction | undefined;
    const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
    return (data: unknown) => {
      // A shortcut for uploads.
      if (schema === noQuery && isEmpty(data)) return { value: data };
      if (part === 'querystring') readQuery(data as Record<string, unknown>, properties);
      validate ??= ajv.compile(schema as object);
      if (validate(data)) return { value: data };
      const details = ofFittingType(validate.errors ?? [])
        .slice(0, maxDetails)
        .map((error) => toDetail(part, error));
      return { error: Object.assign(new Error('invalid request'), { validation: details }) };
    };
  });
}

const accept = () => true;

/** For routes that check bodies and headers themselves: their schemas only describe them. */
export function onlyQueries(app: FastifyInstance): FastifySchemaCompiler<unknown> {
  const compile = app.validatorCompiler as FastifySchemaCompiler<unknown>;
  return (route) => (route.httpPart === 'querystring' ? compile(route) : accept);
}
