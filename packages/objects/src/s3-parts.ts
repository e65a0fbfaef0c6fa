import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { ObjectParts } from './object-store.ts';

const ChecksumAlgorithm = 'CRC32';

/** Objects of a bucket in parts. `base`: what precedes each name. */
export function s3Parts(
  client: S3Client,
  { Bucket, base }: { Bucket: string; base: string },
  asked: <T>(ask: () => Promise<T>) => Promise<T>,
): ObjectParts {
  const of = (name: string, UploadId: string) => ({ Bucket, Key: base + name, UploadId });

  return {
    begin: (name) =>
      asked(async () => {
        const command = new CreateMultipartUploadCommand({ Bucket, Key: base + name, ChecksumAlgorithm });
        return (await client.send(command)).UploadId as string;
      }),

    put: (name, id, { number: PartNumber }, Body) =>
      asked(async () => {
        const part = { ...of(name, id), PartNumber, Body, ChecksumAlgorithm } as const;
        const { ETag, ChecksumCRC32 = '' } = await client.send(new UploadPartCommand(part));
        return `${ETag} ${ChecksumCRC32}`;
      }),

    finish: (name, id, tags) =>
      asked(async () => {
        const Parts = tags.map((tag, at) => {
          const [ETag, ChecksumCRC32] = tag.split(' ');
          return { PartNumber: at + 1, ETag, ...(ChecksumCRC32 && { ChecksumCRC32 }) };
        });
        try {
          await client.send(
            new CompleteMultipartUploadCommand({ ...of(name, id), MultipartUpload: { Parts } }),
          );
        } catch (error) {
          // It may be finished already.
          const isGone = (error as Error).name === 'NoSuchUpload';
          const object = { Bucket, Key: base + name };
          if (!isGone || !(await client.send(new HeadObjectCommand(object)).catch(() => undefined)))
            throw error;
        }
      }),

    abandon: (name, id) =>
      asked(async () => {
        await client.send(new AbortMultipartUploadCommand(of(name, id))).catch((error) => {
          if (error.name !== 'NoSuchUpload') throw error;
        });
      }),
  };
}
