/** Bytes being collected. Writers reserve first, then write at `length` and move it on. */
export interface ByteSink {
  /** Replaced when it grows: not to be kept over a `reserve`. */
  bytes: Buffer;
  /** Of the same memory. */
  view: DataView;
  length: number;
}

const firstCapacity = 1024 ** 2;
/** What is kept for what comes next; a larger one is given back. */
const keptCapacity = 64 * 1024 ** 2;

export function createByteSink(capacity: number = firstCapacity): ByteSink {
  return { ...allocate(capacity), length: 0 };
}

/** Makes room for so many bytes more. */
export function reserve(sink: ByteSink, more: number): void {
  if (sink.length + more > sink.bytes.length) grow(sink, more);
}

/** A copy of what was collected; the sink starts anew. */
export function takeBytes(sink: ByteSink): Buffer {
  const taken = Buffer.allocUnsafeSlow(sink.length);
  sink.bytes.copy(taken, 0, 0, sink.length);
  clear(sink);
  return taken;
}

/** Starts the sink anew. */
export function clear(sink: ByteSink): void {
  sink.length = 0;
  if (sink.bytes.length > keptCapacity) Object.assign(sink, allocate(firstCapacity));
}

/** Writes a string of ASCII characters. */
export function writeAscii(sink: ByteSink, text: string): void {
  reserve(sink, text.length);
  const { bytes, length } = sink;
  for (let i = 0; i < text.length; i++) bytes[length + i] = text.charCodeAt(i);
  sink.length = length + text.length;
}

export function writeUtf8(sink: ByteSink, text: string): void {
  reserve(sink, 3 * text.length);
  sink.length += sink.bytes.write(text, sink.length);
}

function grow(sink: ByteSink, more: number): void {
  const { bytes, length } = sink;
  Object.assign(sink, allocate(Math.max(2 * bytes.length, length + more)));
  bytes.copy(sink.bytes, 0, 0, length);
}

function allocate(capacity: number) {
  const bytes = Buffer.allocUnsafeSlow(capacity);
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, capacity) };
}
