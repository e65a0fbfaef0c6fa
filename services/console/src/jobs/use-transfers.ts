import { useSyncExternalStore } from 'react';
import { type Transfer, transfers } from './transfers.ts';

export const useTransfers = (): Transfer[] => useSyncExternalStore(transfers.subscribe, transfers.all);

export const useTransfer = (id: string): Transfer | undefined =>
  useTransfers().find((transfer) => transfer.id === id);
