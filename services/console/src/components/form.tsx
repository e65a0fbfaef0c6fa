import { type ButtonProps, Group, Stack, type StackProps } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { faultAt } from '../api/failure.ts';
import { SubmitButton } from './buttons.tsx';
import { ErrorAlert } from './error-alert.tsx';

/** Handles the submit of a form on the page; a browser alone would load another page. */
export const submits = (act: (fields: FormData) => void) => (event: FormEvent<HTMLElement>) => {
  event.preventDefault();
  act(new FormData(event.currentTarget as HTMLFormElement));
};

interface Props<F>
  extends Omit<StackProps, 'children' | 'color' | 'variant'>,
    Pick<ButtonProps, 'variant' | 'color' | 'disabled'> {
  /** Sends the fields, by their names. Afterwards, the form is as it was at first. */
  act: (fields: F) => Promise<unknown>;
  /** The label of the button. */
  submit: string;
  /** The button stands beside the fields. */
  isInline?: boolean;
  /** Gets the fault at a place of the body, or any without a place, for the field that shows it. */
  children: ReactNode | ((fault: (place?: string) => string | undefined) => ReactNode);
}

/** A form that sends its fields. What goes wrong stands at its field, or else above the button. */
export function Form<F>({ act, submit, isInline, children, ...others }: Props<F>) {
  const { variant, color, disabled, ...stack } = others;
  const { error, isPending, mutate } = useMutation({
    mutationFn: (form: HTMLFormElement) => act(Object.fromEntries(new FormData(form)) as F),
    onSuccess: (_, form) => form.reset(),
  });
  let isShown = false;
  const fault = (place?: string) => {
    const found = place === undefined ? error?.message : faultAt(error, place);
    isShown ||= found !== undefined;
    return found;
  };
  const fields = typeof children === 'function' ? children(fault) : children;
  const alert = error && !isShown && <ErrorAlert error={error} />;
  const button = (
    <SubmitButton {...{ variant, color, disabled }} loading={isPending}>
      {submit}
    </SubmitButton>
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutate(event.currentTarget);
      }}
    >
      {isInline ? (
        <>
          <Group align="flex-end">
            {fields}
            {button}
          </Group>
          {alert}
        </>
      ) : (
        <Stack {...stack}>
          {fields}
          {alert}
          {button}
        </Stack>
      )}
    </form>
  );
}
