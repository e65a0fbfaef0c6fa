import type { ApiError } from '@sluice/shared/errors.ts';
import type { FastifyReply } from 'fastify';
import { createTally } from './tally.ts';

interface Bounds {
  /** In one process. */
  most: number;
  /** Some room is left for others. */
  mostOfOwner: number;
  /** What is thrown where there is no more room. */
  full: () => ApiError;
  ownerFull: () => ApiError;
}

/** Gives the room back; once. */
export type Leave = () => void;

/** Bounds what is under way at once and may take hours: by number, or by bytes that it holds. */
export function createRoom({ most, mostOfOwner, full, ownerFull }: Bounds) {
  const taken = createTally();

  /** Takes room for an owner. Throws ApiError. */
  return function enter(owner: string, amount = 1): Leave {
    const [all, own] = [taken.all(), taken.of(owner)];
    // What is larger than all the room goes alone.
    if (all > 0 && all + amount > most) throw full();
    if (own > 0 && own + amount > mostOfOwner) throw ownerFull();
    taken.add(owner, amount);
    return () => taken.add(owner, -amount);
  };
}

/** Leaves when the answer has gone, or its client has. */
export function untilClosed({ raw }: FastifyReply, leave: Leave): void {
  if (raw.closed || raw.destroyed) leave();
  else raw.once('close', leave);
}
