import { Button, type ButtonProps, type ElementProps } from '@mantine/core';
import { useAct } from './use-act.ts';

// A button below other fields of a form is as wide as its text.
export const SmallButton = Button.withProps({ variant: 'default', w: 'fit-content' });
export const SubmitButton = Button.withProps({ type: 'submit', w: 'fit-content' });

interface ActProps extends ButtonProps, ElementProps<'button', keyof ButtonProps> {
  act: () => Promise<unknown>;
}

/** Runs a call that changes something, and shows its failure. */
export function ActButton({ act, ...button }: ActProps) {
  const { mutate, isPending } = useAct(act);
  return <SmallButton loading={isPending} onClick={() => mutate()} {...button} />;
}
