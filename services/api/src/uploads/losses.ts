import type { IncomingHttpHeaders } from 'node:http';
import type { RefusalRecorder, RefusingApplication } from '@sluice/intake/refused/recorder.ts';
import { groupOfLoss, lossOf, type RefusedUpload } from '@sluice/intake/refused/refused-upload.ts';
import type { ApiError } from '@sluice/shared/errors.ts';
import type { ApplicationStore } from '@sluice/store/applications/applications.ts';
import type { LossKind } from '@sluice/store/refused/losses.ts';
import type { RefusedSource } from '@sluice/store/refused/refused-records.ts';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { beginningOf } from '../http/beginnings.ts';
import { answerError } from '../http/envelope.ts';
import type { ApplicationCache } from '../known/applications.ts';
import type { Keyring } from '../known/keyring.ts';
import { networkOrKey } from './steps.ts';

/** Applications, and domains of none, that are remembered besides those in use. */
const remembered = { max: 5_000, ttl: 10_000 };
/** What comes for further domains meanwhile is not counted. */
const mostAsked = 1_000;

interface Dependencies {
  applications: Pick<ApplicationStore, 'byDomain'>;
  cache: Pick<ApplicationCache, 'last'>;
  keyring: Pick<Keyring, 'peek'>;
  refusalRecorder: Pick<RefusalRecorder, 'noteLoss'>;
}

/** Makes the error handlers of uploads and batches. They count what is lost before it is validated. */
export function createCountLosses({ applications, cache, keyring, refusalRecorder }: Dependencies) {
  const findApplication = createFindApplication(applications, cache);

  /** Holds no body while it looks the application up. */
  async function note({ kind, domain, headers, ip, upload }: Loss): Promise<void> {
    const application = await findApplication(domain);
    if (!application) return;
    const key = keyring.peek(application.id, headers);
    const sender = networkOrKey(ip, key === undefined ? undefined : { id: key });
    refusalRecorder.noteLoss(application, kind, { key, upload: upload && { ...upload, sender } });
  }

  return (source: RefusedSource) =>
    function countLoss(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
      const isCut = isCutOff(request);
      // Before the answer is finished, when Node.js discards what has arrived of the body.
      process.nextTick(() => {
        const kind = isCut ? 'cut' : reply.failure && kindOf(reply.failure);
        if (kind) note(toLoss(kind, source, request, reply.failure)).catch(() => {});
      });
      return answerError(error, request, reply);
    };
}

interface Loss {
  kind: LossKind;
  domain: string;
  headers: IncomingHttpHeaders;
  ip: string;
  upload: RefusedUpload | undefined;
}

function toLoss(
  kind: LossKind,
  source: RefusedSource,
  request: FastifyRequest,
  failure: ApiError | null,
): Loss {
  const { params, headers, ip } = request;
  const { domain } = params as { domain: string };
  const beginning = failure && groupOfLoss(kind) && beginningOf(request);
  const upload = beginning
    ? { source, refusal: { name: failure.name, message: failure.message }, ...beginning }
    : undefined;
  return { kind, domain, headers, ip, upload };
}

const isCutOff = ({ raw }: FastifyRequest): boolean => raw.destroyed && !raw.complete;

/** Undefined for a refusal that is no loss: by the schema, or of the whole service. */
function kindOf(failure: ApiError): LossKind | undefined {
  if (failure.name === 'UnsupportedMediaTypeError') return 'media_type';
  if (failure.limit && /^(rate|quota)_/.test(failure.limit)) return 'rate';
  return failure.key ?? lossOf(failure);
}

/** Does not load applications: a flood of what is lost should not displace those in use. */
function createFindApplication(
  applications: Dependencies['applications'],
  cache: Dependencies['cache'],
): (domain: string) => Promise<RefusingApplication | undefined> {
  let asked = 0;
  const found = new LRUCache<string, { application: RefusingApplication | undefined }>({
    ...remembered,
    async fetchMethod(domain) {
      asked += 1;
      try {
        const record = await applications.byDomain(domain);
        if (!record) return { application: undefined };
        const { id, version, refused } = record;
        return { application: { id, owner: record.owner.id, version, refused } };
      } finally {
        asked -= 1;
      }
    },
  });

  return async (domain) => {
    const known = cache.last(domain) ?? found.get(domain)?.application;
    if (known || found.has(domain) || asked >= mostAsked) return known;
    return (await found.fetch(domain))?.application;
  };
}
