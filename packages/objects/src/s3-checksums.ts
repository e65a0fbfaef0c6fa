import type { ChecksumAlgorithm, S3Client } from '@aws-sdk/client-s3';

/**
 * Gives every body one checksum, which the server compares: SHA-256 in the signature, made on another thread.
 * TLS keeps strangers from changing a body, so over https CRC32 is enough. Returns the algorithm that requests name.
 */
export function addChecksums(
  client: S3Client,
  { isEncrypted }: { isEncrypted: boolean },
): ChecksumAlgorithm | undefined {
  client.middlewareStack.add(
    (next) => async (args) => {
      const { body, headers } = args.request as { body?: unknown; headers: Record<string, string> };
      if (body instanceof Uint8Array)
        headers['x-amz-content-sha256'] = isEncrypted
          ? 'UNSIGNED-PAYLOAD'
          : Buffer.from(await crypto.subtle.digest('SHA-256', body as Uint8Array<ArrayBuffer>)).toString(
              'hex',
            );
      return next(args);
    },
    { step: 'build', priority: 'low', name: 'checksums' },
  );
  return isEncrypted ? 'CRC32' : undefined;
}
