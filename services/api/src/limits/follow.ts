import { unavailable } from '@sluice/shared/errors.ts';
import type { FastifyReply } from 'fastify';
import { tooMany } from './answers.ts';
import { createRoom, untilClosed } from './room.ts';

const most = 256;
const mostOfOwner = 64;

/** Takes room for one who follows a job, until its answer has gone. Throws ApiError. */
export type Follow = (reply: FastifyReply, owner: string) => void;

/** Bounds how many follow the progress of jobs: each asks MongoDB twice a second. */
export function createFollow(): Follow {
  const enter = createRoom({
    most,
    mostOfOwner,
    full: () => unavailable('too many follow the progress of jobs: ask for the job instead', 5),
    ownerFull: () =>
      tooMany(`you follow ${mostOfOwner} jobs here: end one first, or ask for the job instead`, 5_000),
  });
  return (reply, owner) => untilClosed(reply, enter(owner));
}
