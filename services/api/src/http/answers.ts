import type { OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { errorNames } from '@sluice/shared/errors.ts';
import type { FastifyReply } from 'fastify';
import Type, { type TSchema } from 'typebox';
import type { Lifecycle } from '../dependencies.ts';
import { Int, Named, Text } from './schemas.ts';

export function success<T>(reply: FastifyReply, data: T, status = 200) {
  reply.code(status);
  return { success: true as const, status, data };
}

/** Answers with data that is JSON already. */
export const sendJson = (reply: FastifyReply, data: string) =>
  sendText(reply, `{"success":true,"status":200,"data":${data}}`);

/** Answers with a list that is written while it is sent. A piece is the JSON of some items, without brackets. */
export const sendJsonList = (reply: FastifyReply, pieces: AsyncIterable<string>) =>
  sendText(reply, Readable.from(listOf(pieces), { highWaterMark: 1 }));

/** What every answer has. HSTS is the task of the proxy, where TLS ends. */
export const fixedHeaders = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

const ofJson = {
  ...fixedHeaders,
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
};

/**
 * Returns a function that sends JSON past the hooks and the serializer of Fastify, which an upload would pay for. `text` has a
 * character for each byte. `onResponse` runs as usual.
 */
export const createSendAtOnce =
  (lifecycle: Lifecycle) =>
  (reply: FastifyReply, status: number, headers: Record<string, string>, text: string): undefined => {
    const { raw, request } = reply;
    const head: OutgoingHttpHeaders = {
      ...ofJson,
      ...(reply.getHeaders() as OutgoingHttpHeaders),
      ...headers,
      'x-request-id': request.id,
      'content-length': String(text.length),
      ...(lifecycle.phase === 'draining' && { connection: 'close' }),
    };
    raw.writeHead(status, head);
    reply.hijack();
    raw.end(text, 'latin1');
  };

export async function* listOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let before = '{"success":true,"status":200,"data":[';
  for await (const piece of pieces) {
    if (piece === '') continue;
    yield before + piece;
    before = ',';
  }
  yield before === ',' ? ']}' : `${before}]}`;
}

// `never` fits the type of any response: Fastify would check a text against the schema.
const sendText = (reply: FastifyReply, text: string | Readable) =>
  reply.type('application/json; charset=utf-8').send(text as never) as never;

/** `Application` → `ApplicationResponse`, a list of them → `ApplicationListResponse`. */
function responseTitle({ title, items }: { title?: string; items?: { title?: string } }): string | undefined {
  if (title) return `${title}Response`;
  return items?.title && `${items.title}ListResponse`;
}

/** The schema of a success, whose `data` is like `example`. */
export function Success<T extends TSchema>(data: T, description = 'Done.', example?: unknown) {
  const title = responseTitle(data);
  return Type.Object(
    { success: Type.Literal(true), status: Type.Integer({ examples: [200] }), data },
    {
      description,
      ...(title && { title }),
      ...(example !== undefined && { examples: [{ success: true, status: 200, data: example }] }),
    },
  );
}

const Message = Named('Message', {
  message: Text('What was done.', 'done'),
});

/** The schema of an answer that says what was done, such as `message`. */
export const SuccessMessage = (description: string, message: string) =>
  Success(Message, description, { message });

const Detail = Named('ErrorDetail', {
  in: Type.Optional(Text('Part of the request: `body`, `querystring`, `params` or `headers`.')),
  path: Text('Where in that part: a JSON Pointer, such as `/address/city`.'),
  keyword: Text('The rule that is broken, such as `required`.'),
  property: Type.Optional(Text('The member of a payload that is missing, or must not be there.')),
  message: Type.String(),
  line: Type.Optional(Int('Of the SQL of a question, from 1.')),
  column: Type.Optional(Int('Of this line, from 1.')),
});

/** The schema of a failure. `detail` is the schema of one of its `details`. */
export function FailureWith<T extends TSchema>(title: string, detail: T, description?: string) {
  return Type.Object(
    {
      success: Type.Literal(false),
      status: Type.Integer(),
      error: Named(`${title}Error`, {
        name: Type.Enum([...errorNames], { title: 'ErrorName' }),
        description: Text('What this name means: always the same text.'),
        message: Text('What is wrong with this request.'),
        details: Type.Optional(Type.Array(detail)),
      }),
    },
    { title, ...(description && { description }) },
  );
}

export const Failure = FailureWith('Failure', Detail);
