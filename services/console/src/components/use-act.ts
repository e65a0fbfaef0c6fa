import { useMutation } from '@tanstack/react-query';
import { showFailure } from './toasts.ts';

/** Runs a call that changes something, and shows its failure. */
export const useAct = <Given = void>(act: (given: Given) => Promise<unknown>) =>
  useMutation({ mutationFn: act, onError: showFailure });
