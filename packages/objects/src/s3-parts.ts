import {
  AbortMultipartUploadCommand,
  type ChecksumAlgorithm,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';

/** Objects of a bucket in parts: see ObjectParts. `base`: what precedes each name. Rejects with errors of the SDK. */
export function s3Parts(
  client: S3Client,
  {
    Bucket,
    base,
    ChecksumAlgorithm,
  }: { Bucket: string; base: string; ChecksumAlgorithm: ChecksumAlgorithm | undefined },
) {
  const of = (name: string, UploadId: string) => ({ Bucket, Key: base + name, UploadId });

  async function complete(
    name: string,
    id: string,
    tags: string[],
    condition: { IfNoneMatch?: '*' } = {},
  ): Promise<void> {
    const Parts = tags.map((tag, at) => {
      const [ETag, ChecksumCRC32] = tag.split(' ');
      return { PartNumber: at + 1, ETag, ...(ChecksumCRC32 && { ChecksumCRC32 }) };
    });
    const upload = { ...of(name, id), MultipartUpload: { Parts }, ...condition };
    await client.send(new CompleteMultipartUploadCommand(upload));
  }

  return {
    async begin(name: string): Promise<string> {
      const command = new CreateMultipartUploadCommand({ Bucket, Key: base + name, ChecksumAlgorithm });
      return (await client.send(command)).UploadId as string;
    },

    async put(name: string, id: string, PartNumber: number, Body: Uint8Array): Promise<string> {
      const part = { ...of(name, id), PartNumber, Body, ChecksumAlgorithm };
      const { ETag, ChecksumCRC32 = '' } = await client.send(new UploadPartCommand(part));
      return `${ETag} ${ChecksumCRC32}`;
    },

    complete,

    async finish(name: string, id: string, tags: string[]): Promise<void> {
      try {
        await complete(name, id, tags);
      } catch (error) {
        // It may be finished already.
        const isGone = (error as Error).name === 'NoSuchUpload';
        const object = { Bucket, Key: base + name };
        if (!isGone || !(await client.send(new HeadObjectCommand(object)).catch(() => undefined)))
          throw error;
      }
    },

    async abandon(name: string, id: string): Promise<void> {
      await client.send(new AbortMultipartUploadCommand(of(name, id))).catch((error) => {
        if (error.name !== 'NoSuchUpload') throw error;
      });
    },
  };
}
