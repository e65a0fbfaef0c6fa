import { Unreachable } from '@sluice/shared/outbound.ts';
import { ObjectStoreError } from './object-store.ts';

export interface StorePlace {
  host: string;
  bucket: string;
  region: string;
  keyId: string;
}

type Answer = Error & { code?: string; cause?: unknown; $metadata?: { httpStatusCode?: number } };

/** Sentences for the owner, by the name of an error of S3. */
const answers: Record<string, (place: StorePlace) => string> = {
  InvalidAccessKeyId: ({ host, keyId }) =>
    `${host} does not know the access key id ${keyId}: give another key`,
  SignatureDoesNotMatch: ({ keyId }) =>
    `the secret access key does not belong to the access key id ${keyId}: give both again`,
  NoSuchBucket: ({ host, bucket }) =>
    `${host} has no bucket ${bucket}: create it, or give the name of another`,
  AccessDenied: ({ bucket, keyId }) =>
    `the access key id ${keyId} may not use the bucket ${bucket} like this: allow it to list, read, write and delete objects there`,
  NotImplemented: ({ host }) =>
    `${host} does not know a request that Sluice needs (NotImplemented): use a server that can write under a condition`,
  RequestTimeTooSkewed: ({ host }) =>
    `the clock of the server that runs Sluice differs from that of ${host}: ask the operator to set it`,
};

const unfinishedGone = ({ host, bucket }: StorePlace) =>
  `an unfinished upload is gone from the bucket ${bucket} of ${host}: retry, and look whether a rule of the bucket removes uploads too early`;
for (const name of ['NoSuchUpload', 'InvalidPart']) answers[name] = unfinishedGone;

const otherRegion = ({ bucket, region }: StorePlace) =>
  `the bucket ${bucket} is not in the region ${region}: give the region and endpoint of the bucket`;
for (const name of [
  'PermanentRedirect',
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
])
  answers[name] = otherRegion;

// The name that versitygw has for an unknown key.
answers.XAdminUserNotFound = answers.InvalidAccessKeyId as (place: StorePlace) => string;

const unreachable = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
]);

/** An ObjectStoreError with one sentence for the owner; an error of another cause stays the same. */
export function toFault(error: unknown, place: StorePlace): unknown {
  if (!(error instanceof Error)) return error;
  if (error instanceof Unreachable) return new ObjectStoreError(error.message);
  const { name, code = '', cause, $metadata } = error as Answer;
  if (cause instanceof Unreachable) return new ObjectStoreError(cause.message);
  const status = $metadata?.httpStatusCode;
  const known =
    answers[name] ?? (status === 301 ? otherRegion : status === 403 ? answers.AccessDenied : undefined);
  if (known) return new ObjectStoreError(known(place));
  const { host } = place;
  if (status !== undefined && (status >= 500 || status === 429))
    return new ObjectStoreError(`${host} is overloaded or broken (${status}): wait, or ask who runs it`);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new ObjectStoreError(`the name ${host} cannot be resolved: check the endpoint`);
  if (name === 'TimeoutError')
    return new ObjectStoreError(
      `${host} does not answer in time or closes the connection: check the endpoint, also http or https, or wait`,
    );
  if (code === 'EPROTO')
    return new ObjectStoreError(`${host} does not speak https: give an endpoint with http://`);
  if (code.startsWith('HPE_'))
    return new ObjectStoreError(`${host} does not speak http: check the port of the endpoint`);
  // Without SSL in its name: UNABLE_TO_VERIFY_LEAF_SIGNATURE.
  if (/CERT|SSL|TLS|LEAF/.test(code))
    return new ObjectStoreError(
      `${host} has no certificate that can be trusted (${code}): check the endpoint, or let the operator trust it by NODE_EXTRA_CA_CERTS`,
    );
  if (unreachable.has(code))
    return new ObjectStoreError(`${host} cannot be reached (${code}): check the endpoint, or wait`);
  if (status !== undefined)
    return new ObjectStoreError(
      `${host} refuses the request (${status} ${name}): check the endpoint and the bucket`,
    );
  return error;
}
