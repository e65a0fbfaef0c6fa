import { ApiError } from '@sluice/shared/errors.ts';
import type { FastifyRequest } from 'fastify';

/** The parameters of a media type by name, in lower case (RFC 9110, 5.6.6). */
type Parameters = ReadonlyMap<string, string>;

/** A name and a value between `;`, or nothing between them. */
const parameter = /\s*;\s*(?:([\w!#$%&'*+.^`|~-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[\w!#$%&'*+.^`|~-]+))?\s*/y;
/** ASCII is UTF-8 too. */
const charsets = /^(?:utf-?8|us-ascii|ascii)$/i;

const refused = (message: string) => new ApiError('UnsupportedMediaTypeError', message);

function parametersOf(header: string): Parameters {
  const found = new Map<string, string>();
  for (let at = header.indexOf(';'); at < header.length; at = parameter.lastIndex) {
    parameter.lastIndex = at;
    const match = parameter.exec(header);
    if (!match) throw refused(`the parameters of Content-Type cannot be read: ${header.slice(at, at + 40)}`);
    const [, written, value = ''] = match;
    if (written === undefined) continue;
    const name = written.toLowerCase();
    const meant = value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
    if ((found.get(name) ?? meant) !== meant)
      throw refused(`the parameter ${name.slice(0, 40)} of Content-Type is there twice, with two values`);
    found.set(name, meant);
  }
  return found;
}

/** The parameters of `Content-Type` that a route knows. Throws ApiError for others, which could change what the body means. */
export function takeParameters({ headers }: FastifyRequest, known: readonly string[] = []): Parameters {
  const header = headers['content-type'] ?? '';
  if (!header.includes(';')) return new Map();
  const parameters = parametersOf(header);
  for (const [name, value] of parameters) {
    if (name === 'charset') {
      if (!charsets.test(value))
        throw refused(`only UTF-8 is taken here; charset ${value.slice(0, 40)} is not: convert the body`);
    } else if (!known.includes(name))
      throw refused(`the parameter ${name.slice(0, 40)} of Content-Type is not taken here: remove it`);
  }
  return parameters;
}
