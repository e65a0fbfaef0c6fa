/** At most so much of a source is one batch. */
export interface BatchLimits {
  lines: number;
  bytes: number;
}

/** Whole lines, with their line ends. */
export interface LineBatch {
  bytes: Buffer;
  lines: number;
}

const newline = 10;
/** The server takes no body beyond. */
const mostLineBytes = 16 * 1024 ** 2;
/** The lines of a slow source are sent after this time. */
const mostAgeMs = 1_000;

/** Cuts a source into batches of whole lines. `peek` can be repeated with lower limits before `take`. */
export function createLineReader(source: AsyncIterable<Buffer>, { isSlow = false } = {}) {
  const chunks = source[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  let isEnded = false;
  let next: Promise<IteratorResult<Buffer>> | undefined;

  /** False if the source ended, or if nothing came before the deadline. */
  async function more(deadline?: Promise<'late'>): Promise<boolean> {
    if (isEnded) return false;
    next ??= chunks.next();
    const read = await (deadline ? Promise.race([next, deadline]) : next);
    if (read === 'late') return false;
    next = undefined;
    if (read.done) isEnded = true;
    else held = held.length === 0 ? read.value : Buffer.concat([held, read.value]);
    return !read.done;
  }

  /** Fills beyond the limit; a slow source has a second for it after its first bytes. */
  async function fill(bytes: number): Promise<void> {
    while (held.length === 0 && (await more()));
    if (!isSlow) {
      while (held.length <= bytes && (await more()));
      return;
    }
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<'late'>((resolve) => {
      timer = setTimeout(resolve, mostAgeMs, 'late');
    });
    while (held.length <= bytes && (await more(deadline)));
    clearTimeout(timer);
  }

  /** End of the line that begins there; 0 if it has not arrived. */
  function endOfLine(from: number): number {
    const at = held.indexOf(newline, from);
    return at < 0 && isEnded && held.length > from ? held.length : at + 1;
  }

  return {
    /** Lines within the limits; a longer line is alone. `too long`: a line that no limit allows. */
    async peek(limits: BatchLimits): Promise<LineBatch | 'too long' | undefined> {
      await fill(limits.bytes);
      if (held.length === 0) return undefined;
      let end = endOfLine(0);
      while (end === 0 && held.length <= mostLineBytes) {
        await more();
        end = endOfLine(0);
      }
      if (end === 0 || end > mostLineBytes) return 'too long';
      let lines = 1;
      for (; lines < limits.lines; lines++) {
        const next = endOfLine(end);
        if (next === 0 || next <= end || next > limits.bytes) break;
        end = next;
      }
      return { bytes: held.subarray(0, end), lines };
    },

    take(bytes: number): void {
      held = held.subarray(bytes);
    },

    /** Drops a line that is too long; returns its bytes. */
    async skipLine(): Promise<number> {
      let dropped = 0;
      for (;;) {
        const end = held.indexOf(newline);
        const gone = end < 0 ? held.length : end + 1;
        dropped += gone;
        held = held.subarray(gone);
        if (end >= 0 || !(await more())) return dropped;
      }
    },
  };
}
