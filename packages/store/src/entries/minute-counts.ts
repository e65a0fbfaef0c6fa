const minuteMs = 60_000;

const minuteOf = (ms: number) => Math.floor(ms / minuteMs);

/** Counts of some minutes in ascending order: minutes since the epoch, and how many. */
type Counts = Iterable<[minute: number, count: number]>;

function pushVarint(bytes: number[], value: number): void {
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
}

function pack(counts: Counts): Buffer {
  const bytes: number[] = [];
  let last = 0;
  for (const [minute, count] of counts) {
    pushVarint(bytes, minute - last);
    pushVarint(bytes, count);
    last = minute;
  }
  return Buffer.from(bytes);
}

function count(times: Iterable<number>): Map<number, number> {
  const counts = new Map<number, number>();
  for (const time of times) {
    const minute = minuteOf(time);
    counts.set(minute, (counts.get(minute) ?? 0) + 1);
  }
  return counts;
}

/** How many of these times, in ms since the epoch and ascending, are in each minute: pairs of varints, the first since the minute before. */
export const packMinutes = (times: Iterable<number>): Buffer => pack(count(times));

/** The begin of each minute, in ms since the epoch, and how many are in it. */
export function* unpackMinutes(packed: Uint8Array): Generator<[begin: number, count: number]> {
  let at = 0;
  function varint(): number {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = packed[at++] as number;
      value += (byte % 128) * unit;
      if (byte < 128) return value;
    }
  }
  for (let minute = 0; at < packed.length; ) {
    minute += varint();
    yield [minute * minuteMs, varint()];
  }
}

/** Removes these times, each of which is in the counts. */
export function withoutTimes(packed: Uint8Array, times: Iterable<number>): Buffer {
  const gone = count(times);
  const left = Array.from(unpackMinutes(packed), ([begin, all]): [number, number] => [
    minuteOf(begin),
    all - (gone.get(minuteOf(begin)) ?? 0),
  ]);
  return pack(left.filter(([, count]) => count > 0));
}
