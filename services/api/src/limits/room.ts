import type { ApiError } from '@sluice/shared/errors.ts';
import type { FastifyReply } from 'fastify';

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
  let taken = 0;
  const takenOf = new Map<string, number>();

  /** Takes room for an owner. Throws ApiError. */
  return function enter(owner: string, amount = 1): Leave {
    const own = takenOf.get(owner) ?? 0;
    // What is larger than all the room goes alone.
    if (taken > 0 && taken + amount > most) throw full();
    if (own > 0 && own + amount > mostOfOwner) throw ownerFull();
    taken += amount;
    takenOf.set(owner, own + amount);
    return () => {
      taken -= amount;
      const left = (takenOf.get(owner) as number) - amount;
      if (left > 0) takenOf.set(owner, left);
      else takenOf.delete(owner);
    };
  };
}

/** Leaves when the answer has gone, or its client has. */
export function untilClosed({ raw }: FastifyReply, leave: Leave): void {
  if (raw.closed || raw.destroyed) leave();
  else raw.once('close', leave);
}
