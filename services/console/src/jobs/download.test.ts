import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createDownload } from './download.ts';

const file = Buffer.alloc(5 * 1024 ** 2, 'abcdefghijklmnopqrstuvwxyz');

/** Breaks each connection but the last after so many bytes, and knows ranges. */
async function serve(breaks: number[]): Promise<string> {
  const server = createServer(async ({ headers }, response) => {
    const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
    const most = breaks.shift();
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': file.length - from });
    if (most === undefined) return response.end(file.subarray(from));
    response.write(file.subarray(from, from + most), () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('continues a download behind what came before the connection broke', async () => {
  const url = await serve([100_000, 3 * 1024 ** 2]);
  const from: number[] = [];
  const { read } = createDownload(async (bytes, signal) => {
    from.push(bytes);
    const headers: Record<string, string> = bytes > 0 ? { range: `bytes=${bytes}-` } : {};
    const { body, status } = await fetch(url, { headers, signal });
    return { body: body as ReadableStream<Uint8Array<ArrayBuffer>>, isRest: status === 206 };
  });
  const told: number[] = [];
  const { signal } = new AbortController();
  await expect(read((bytes) => told.push(bytes), signal)).rejects.toThrow();
  await expect(read((bytes) => told.push(bytes), signal)).rejects.toThrow();
  const whole = await read((bytes) => told.push(bytes), signal);
  expect(Buffer.from(await whole.arrayBuffer()).equals(file)).toBe(true);
  expect(told).toEqual(told.toSorted((a, b) => a - b));
  expect(told.at(-1)).toBe(file.length);
  expect(from[0]).toBe(0);
  expect(from[2]).toBeGreaterThan(from[1] as number);
});

it('begins anew where the file is another one by now', async () => {
  const url = await serve([100_000]);
  const { read } = createDownload(async (_bytes, signal) => {
    const { body } = await fetch(url, { signal });
    return { body: body as ReadableStream<Uint8Array<ArrayBuffer>>, isRest: false };
  });
  const { signal } = new AbortController();
  await expect(read(() => {}, signal)).rejects.toThrow();
  const whole = await read(() => {}, signal);
  expect(Buffer.from(await whole.arrayBuffer()).equals(file)).toBe(true);
});
