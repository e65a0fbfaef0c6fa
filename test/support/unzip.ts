import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { fromBufferPromise } from 'yauzl';

/** The files of a ZIP archive by their names, as another's library reads it. Throws where one is not whole. */
export async function unzip(archive: Buffer): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const zip = await fromBufferPromise(archive, { lazyEntries: true, strictFileNames: true });
  for await (const entry of zip.eachEntry()) {
    const data = await buffer(await zip.openReadStreamPromise(entry));
    if (crc32(data) !== entry.crc32) throw new Error(`${entry.fileName} has another checksum`);
    if (files.has(entry.fileName)) throw new Error(`${entry.fileName} is there twice`);
    files.set(entry.fileName, data.toString());
  }
  return files;
}
