import { keptLossBytes } from '@sluice/intake/refused/refused-upload.ts';
import type { FastifyRequest, preParsingHookHandler } from 'fastify';

/** Of bodies that no handler got. */
const beginnings = new WeakMap<FastifyRequest, Buffer>();

/** Notes how the body of a request begins, in case it is refused. */
export function noteBeginning(request: FastifyRequest, bytes: Buffer): void {
  beginnings.set(request, Buffer.from(bytes.subarray(0, keptLossBytes)));
}

/** Does so for bodies without a length: Fastify drops what has arrived when they become too long. */
export const noteBeginningOfChunks: preParsingHookHandler = (request, _reply, body, done) => {
  const { 'transfer-encoding': coding, 'content-encoding': encoding } = request.headers;
  if (coding !== undefined && encoding === undefined) {
    let known: Buffer = Buffer.alloc(0);
    body.on('data', function note(piece: Buffer) {
      known = Buffer.concat([known, piece.subarray(0, keptLossBytes - known.length)]);
      noteBeginning(request, known);
      if (known.length === keptLossBytes) body.off('data', note);
    });
  }
  done(null, body);
};

interface Beginning {
  payload: Buffer;
  /** Whether more of the body was sent. */
  isPart: boolean;
}

/** How the body of a refused request begins; undefined if nothing of it has arrived. */
export function beginningOf(request: FastifyRequest): Beginning | undefined {
  const { body, raw } = request;
  if (Buffer.isBuffer(body)) {
    if (body.length > 0) noteBeginning(request, body);
    const payload = beginnings.get(request);
    return payload && { payload, isPart: body.length > keptLossBytes };
  }
  const payload = beginnings.get(request) ?? readArrived(raw);
  return payload && { payload, isPart: true };
}

/** What arrived with the head. The rest is discarded, as if nobody had read any of it. */
function readArrived(raw: FastifyRequest['raw']): Buffer | undefined {
  if (raw.readableLength === 0) return undefined;
  const arrived: Buffer | null = raw.read(Math.min(raw.readableLength, keptLossBytes));
  raw.resume();
  return arrived ?? undefined;
}
