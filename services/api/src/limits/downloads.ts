import { unavailable } from '@sluice/shared/errors.ts';
import type { Part } from '@sluice/shared/store/job-records.ts';
import type { FastifyReply } from 'fastify';
import { tooMany } from './answers.ts';
import { createRoom, untilClosed } from './room.ts';

const mib = 1024 ** 2;
const most = 384 * mib;

/** Parts of a file that are in memory for one reader: on its way to it, read, and being read. */
const partsHeld = 3;
/** Of an export that is streamed, whose parts are not known when it begins. */
const streamBytes = partsHeld * 4 * mib;

/** Each takes room until its answer has gone, and throws ApiError where there is none. */
export interface Downloads {
  /** For these parts. */
  file(reply: FastifyReply, owner: string, list: Part[]): void;
  /** For an export whose file is still to be written. */
  stream(reply: FastifyReply, owner: string): void;
}

/** Bounds what files hold while they are downloaded: a reader may stop in the middle, and stay. */
export function createDownloads(): Downloads {
  const enter = createRoom({
    most,
    mostOfOwner: 0.75 * most,
    full: () => unavailable('too many files are being downloaded at once', 5),
    ownerFull: () => tooMany('too many files of yours are being downloaded at once: end one first', 5_000),
  });
  return {
    file(reply, owner, list) {
      const largest = list.reduce((bytes, part) => Math.max(bytes, part.bytes), 0);
      const all = list.reduce((bytes, part) => bytes + part.bytes, 0);
      untilClosed(reply, enter(owner, Math.min(all, partsHeld * largest)));
    },
    stream: (reply, owner) => untilClosed(reply, enter(owner, streamBytes)),
  };
}
