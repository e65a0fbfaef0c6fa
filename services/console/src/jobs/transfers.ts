import { useSyncExternalStore } from 'react';
import { session } from '../api/session.ts';

/** A download or an upload. It goes on while the user opens other pages. */
export interface Transfer {
  /** Another transfer with the same id takes its place. */
  id: string;
  label: string;
  bytes: number;
  total: number;
  state: 'running' | 'paused' | 'failed';
  error?: Error;
  /** After a pause or a failure it continues where it stopped. */
  canResume: boolean;
}

/** Resolves when all is through. Rejects when it fails or the signal aborts. */
type Run = (onBytes: (bytes: number) => void, signal: AbortSignal) => Promise<unknown>;

interface Held {
  transfer: Transfer;
  run: Run;
  aborter: AbortController;
}

const held = new Map<string, Held>();
const changes = new EventTarget();
let shown: Transfer[] = [];

function tell(): void {
  shown = [...held.values()].map(({ transfer }) => transfer);
  changes.dispatchEvent(new Event('change'));
}

function change(one: Held, to: Partial<Transfer>): void {
  one.transfer = { ...one.transfer, ...to };
  tell();
}

async function go(one: Held): Promise<void> {
  one.aborter = new AbortController();
  const { signal } = one.aborter;
  const { error: _, ...rest } = one.transfer;
  one.transfer = { ...rest, state: 'running' };
  tell();
  try {
    await one.run((bytes) => change(one, { bytes }), signal);
    if (held.get(one.transfer.id) === one) held.delete(one.transfer.id);
    tell();
  } catch (error) {
    change(one, signal.aborted ? { state: 'paused' } : { state: 'failed', error: error as Error });
  }
}

function drop(id: string): void {
  const one = held.get(id);
  held.delete(id);
  one?.aborter.abort();
  tell();
}

export const transfers = {
  all: (): Transfer[] => shown,
  start(transfer: Pick<Transfer, 'id' | 'label' | 'total' | 'canResume'>, run: Run): void {
    drop(transfer.id);
    const one: Held = {
      transfer: { ...transfer, bytes: 0, state: 'running' },
      run,
      aborter: new AbortController(),
    };
    held.set(transfer.id, one);
    void go(one);
  },
  pause: (id: string): void => held.get(id)?.aborter.abort(),
  resume(id: string): void {
    const one = held.get(id);
    if (one) void go(one);
  },
  /** Stops it and forgets what has come. */
  drop,
  subscribe(listener: () => void): () => void {
    changes.addEventListener('change', listener);
    return () => changes.removeEventListener('change', listener);
  },
};

export const useTransfers = (): Transfer[] => useSyncExternalStore(transfers.subscribe, transfers.all);

export const useTransfer = (id: string): Transfer | undefined =>
  useTransfers().find((transfer) => transfer.id === id);

// The next user must not see what this one transfers.
session.subscribe(() => {
  if (!session.token()) for (const id of held.keys()) drop(id);
});
