import { useMutation } from '@tanstack/react-query';
import { showFailure } from './toasts.ts';

/** For buttons: runs a call that changes something, and shows its failure. */
export function useAct(): (call: () => Promise<unknown>) => void {
  return useMutation({ mutationFn: (call: () => Promise<unknown>) => call(), onError: showFailure }).mutate;
}
