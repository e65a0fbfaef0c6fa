import type { Binary } from 'mongodb';
import type { EntryDocument } from './entry-document.ts';
import { timeOfKey } from './entry-id.ts';
import { addProofs, proofOf } from './proof.ts';
import { packNumbers, unpackNumbers } from './varints.ts';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;

/** What a tally needs of an entry. */
export type Tallied = Pick<EntryDocument, '_id' | 'by' | 'once'>;

/** How many came in each minute since the epoch, in ascending order. */
type Counts = Map<number, number>;

/** What some entries add up to. */
export interface Tally {
  all: Counts;
  /** By number, without 0. */
  senders: Map<number, Counts>;
  /** Sums of `proofOf` by hours since the epoch, in ascending order. */
  proofs: Map<number, bigint>;
}

/** A tally as milestones have it. A minute or hour is packed as the difference to the one before it. */
export interface PackedTally {
  /** Pairs: a minute, and how many came in it. */
  minutes: Binary;
  /** For each sender: its number, how many numbers its pairs have, and these pairs. Absent: no senders. */
  senders?: Binary;
  /** Triples: an hour, and the upper and the lower half of its sum. Absent: no proofs. */
  proofs?: Binary;
}

const half = 2n ** 32n;
const none = (): Tally => ({ all: new Map(), senders: new Map(), proofs: new Map() });

function add(counts: Counts, minute: number, count: number): void {
  counts.set(minute, (counts.get(minute) ?? 0) + count);
}

function addProof({ proofs }: Tally, hour: number, proof: bigint): void {
  proofs.set(hour, addProofs(proofs.get(hour) ?? 0n, proof));
}

function ofSender({ senders }: Tally, sender: number): Counts {
  const counts: Counts = senders.get(sender) ?? new Map();
  senders.set(sender, counts);
  return counts;
}

/** The entries come in the order of keys. */
export function tallyOf(entries: Iterable<Tallied>): Tally {
  const tally = none();
  for (const { _id, by, once } of entries) {
    const time = timeOfKey(_id);
    const minute = Math.floor(time / minuteMs);
    add(tally.all, minute, 1);
    if (by) add(ofSender(tally, by), minute, 1);
    const proof = proofOf(once);
    if (proof) addProof(tally, Math.floor(time / hourMs), proof);
  }
  return tally;
}

/** What is left without some of its entries. Members that the tally has stay, so that they replace all that was. */
export function withoutEntries(packed: PackedTally, entries: Iterable<Tallied>): PackedTally {
  const left = unpackTally(packed);
  const gone = tallyOf(entries);
  for (const [minute, count] of gone.all) add(left.all, minute, -count);
  for (const [sender, counts] of gone.senders)
    for (const [minute, count] of counts) add(ofSender(left, sender), minute, -count);
  for (const [hour, proof] of gone.proofs) addProof(left, hour, -proof);
  return packTally(left);
}

function flatten(counts: Counts): number[] {
  let last = 0;
  const numbers: number[] = [];
  for (const [minute, count] of counts)
    if (count > 0) {
      numbers.push(minute - last, count);
      last = minute;
    }
  return numbers;
}

function unflatten(numbers: number[]): Counts {
  const counts: Counts = new Map();
  for (let at = 0, minute = 0; at < numbers.length; at += 2) {
    minute += numbers[at] as number;
    counts.set(minute, numbers[at + 1] as number);
  }
  return counts;
}

export function packTally({ all, senders, proofs }: Tally): PackedTally {
  const bySender = [...senders].flatMap(([sender, counts]) => {
    const pairs = flatten(counts);
    return [sender, pairs.length, ...pairs];
  });
  let last = 0;
  const byHour = [...proofs].flatMap(([hour, proof]) => {
    const since = hour - last;
    last = hour;
    return [since, Number(proof / half), Number(proof % half)];
  });
  return {
    minutes: packNumbers(flatten(all)),
    ...(senders.size > 0 && { senders: packNumbers(bySender) }),
    ...(proofs.size > 0 && { proofs: packNumbers(byHour) }),
  };
}

export const unpackMinutes = (minutes: Binary): Counts => unflatten(unpackNumbers(minutes));

export function unpackTally({ minutes, senders, proofs }: PackedTally): Tally {
  const tally = { ...none(), all: unpackMinutes(minutes) };
  const bySender = senders ? unpackNumbers(senders) : [];
  for (let at = 0; at < bySender.length; ) {
    const [sender, length] = bySender.slice(at, at + 2) as [number, number];
    tally.senders.set(sender, unflatten(bySender.slice(at + 2, at + 2 + length)));
    at += 2 + length;
  }
  const byHour = proofs ? unpackNumbers(proofs) : [];
  for (let at = 0, hour = 0; at < byHour.length; at += 3) {
    const [since, upper, lower] = byHour.slice(at, at + 3) as [number, number, number];
    hour += since;
    tally.proofs.set(hour, BigInt(upper) * half + BigInt(lower));
  }
  return tally;
}
